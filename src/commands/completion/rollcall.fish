# In ~/.config/fish/completions/rollcall.fish, or: rollcall completion fish | source
function __rollcall_answers
    set -l words (commandline -opc) (commandline -ct)
    set -g __rollcall_answers ($words[1] complete -- $words[2..] 2>/dev/null </dev/null)
    test (count $__rollcall_answers) -gt 0
end
complete -c rollcall -n __rollcall_answers -f -a '$__rollcall_answers'
