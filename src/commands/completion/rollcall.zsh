#compdef rollcall
# In ~/.zshrc, after compinit: source <(rollcall completion zsh)
_rollcall() {
  local -a answers candidates descriptions
  answers=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  if [[ -z $answers ]]; then
    _files
    return
  fi
  candidates=("${(@)answers%%$'\t'*}")
  descriptions=("${(@)answers//$'\t'/  }")
  if [[ ${candidates[1]} == *= ]]; then
    compadd -S '' -a candidates
  else
    compadd -l -d descriptions -a candidates
  fi
}
compdef _rollcall rollcall
