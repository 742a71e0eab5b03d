import type { Ending } from '../base/exit-code.ts';
import { choiceNamed } from '../base/suggestion.ts';
import type { Context } from '../terminal/context.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** `rollcall completion`: prints the completion script of a shell. The script calls rollcall, so it stays up to date. */
export function completion(shell: string, _: object, { stdout }: Pick<Context, 'stdout'>): Ending {
  const known = choiceNamed(shell, shells, `there is no completion for ${JSON.stringify(shell)}`);
  stdout.write(scripts[known]);
  return 'done';
}

/** Each candidate is printed on a line, with its description after a tab. Without candidates, the shell completes file names. */
const scripts = {
  bash: `# In ~/.bashrc: source <(rollcall completion bash)
_rollcall() {
  local line=\${COMP_LINE:0:COMP_POINT} words candidate
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=\${candidate%%$'\\t'*}
    [[ $candidate == *= ]] && compopt -o nospace
    COMPREPLY+=("$candidate")
  done < <("\${words[0]}" complete -- "\${words[@]:1}" 2>/dev/null </dev/null)
}
complete -o default -F _rollcall rollcall
`,
  zsh: `#compdef rollcall
# In ~/.zshrc, after compinit: source <(rollcall completion zsh)
_rollcall() {
  local -a answers candidates descriptions
  answers=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  if [[ -z $answers ]]; then
    _files
    return
  fi
  candidates=("\${(@)answers%%$'\\t'*}")
  descriptions=("\${(@)answers//$'\\t'/  }")
  if [[ \${candidates[1]} == *= ]]; then
    compadd -S '' -a candidates
  else
    compadd -l -d descriptions -a candidates
  fi
}
compdef _rollcall rollcall
`,
  fish: `# In ~/.config/fish/completions/rollcall.fish, or: rollcall completion fish | source
function __rollcall_answers
    set -l words (commandline -opc) (commandline -ct)
    set -g __rollcall_answers ($words[1] complete -- $words[2..] 2>/dev/null </dev/null)
    test (count $__rollcall_answers) -gt 0
end
complete -c rollcall -n __rollcall_answers -f -a '$__rollcall_answers'
`,
} as const;
