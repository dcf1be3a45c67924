import { UsageError } from '../contracts/index.ts';
import { nearest } from '../rules/text/index.ts';
import type { Io } from '../surfaces/terminal/index.ts';
import type { RawFlags } from './shared/flags.ts';

/** `ralph completion SHELL`: the script to source. @throws UsageError for an unknown shell */
export async function completion([shell = '']: readonly string[], _flags: RawFlags, io: Io): Promise<number> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    const names = Object.keys(SCRIPTS);
    const near = nearest(shell, names);
    throw new UsageError({
      what: `there are no completions for '${shell}'${near ? `; did you mean ${near}?` : ''}`,
      fix: [`one of: ${names.join(', ')}`],
    });
  }
  io.stdout.write(script);
  return 0;
}

/*
 * What each shell runs. All scripts ask `ralph completion --complete`, so they need no update for a later version.
 * Returned words are never evaluated: they are data for the shell's own completion.
 */

const BASH = `# completions of ralph for bash
_ralph() {
  local line word cur=''
  local -a words
  COMPREPLY=()
  # Words as they were typed: bash itself would break them at '=' and ':'.
  read -r -a words <<< "\${COMP_LINE:0:COMP_POINT}"
  [[ "\${COMP_LINE:0:COMP_POINT}" == *[[:space:]] ]] && words+=('')
  cur="\${words[\${#words[@]}-1]}"
  while IFS= read -r line; do
    case "$line" in
      :files) return ;;
      :folders) compopt -o dirnames +o default +o bashdefault 2>/dev/null; return ;;
    esac
    word="\${line%%$'\\t'*}"
    # What stands before such a break is there already.
    COMPREPLY+=("\${word#"\${cur%"\${cur##*[:=]}"}"}")
  done < <(command ralph completion --complete -- "\${words[@]:1}" 2>/dev/null)
  compopt +o default +o bashdefault 2>/dev/null
}
complete -o bashdefault -o default -F _ralph ralph
`;

const ZSH = `#compdef ralph
# completions of ralph for zsh
_ralph() {
  local line
  local -a lines values shown
  lines=("\${(@f)$(command ralph completion --complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case "$lines[1]" in
    :files) _files; return ;;
    :folders) _files -/; return ;;
  esac
  for line in "\${lines[@]}"; do
    [[ -n "$line" ]] || continue
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( $#values )) && compadd -l -d shown -a values
}
if [[ "$funcstack[1]" == _ralph ]]; then _ralph "$@"; else compdef _ralph ralph; fi
`;

const FISH = `# completions of ralph for fish
function __ralph_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines (command ralph completion --complete -- $words[2..-1] 2>/dev/null)
    switch "$lines[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case :folders
            __fish_complete_directories (commandline -ct)
        case '*'
            test (count $lines) -gt 0; and printf '%s\\n' $lines
    end
end
complete -c ralph -f -a '(__ralph_complete)'
`;

const POWERSHELL = `# completions of ralph for PowerShell
Register-ArgumentCompleter -Native -CommandName ralph -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object { $_.Extent.Text })
  if ($word -eq '') { $words += '' }
  ralph completion --complete -- @words 2>$null | ForEach-Object {
    $value, $meaning = $_ -split "\`t", 2
    if ($value -eq ':files' -or $value -eq ':folders') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($word)
    } else {
      if (-not $meaning) { $meaning = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $meaning)
    }
  }
}
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };
