# In ~/.bashrc: source <(rollcall completion bash)
_rollcall() {
  local line=${COMP_LINE:0:COMP_POINT} words candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    [[ $candidate == *= ]] && compopt -o nospace
    COMPREPLY+=("$candidate")
  done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null </dev/null)
}
complete -o default -F _rollcall rollcall
