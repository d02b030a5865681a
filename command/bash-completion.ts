// The completion script for bash. That of @bomb.sh/tab needs the package bash-completion and evaluates what stands on the line; this one needs and does neither.

/** Asks the command for each word: lines of `word<Tab>description`, then a line that begins with a colon. */
export const BASH_COMPLETION = `# completion of gatehouse for bash: source <(gatehouse complete bash)
_gatehouse() {
  local current=\${COMP_WORDS[COMP_CWORD]} word rest
  COMPREPLY=()
  while IFS=$'\\t' read -r word rest; do
    if [[ $word != :* && $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done < <(gatehouse complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _gatehouse gatehouse
`;
