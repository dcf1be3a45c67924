/**
 * Files that srt, and Claude Code's own sandbox, which is based on it, create in the project on Linux while a command
 * runs, wherever such a file is missing: an unwritable device. `git status` shows them and `git add -A` fails on them
 * unless they are excluded. Lines of `.git/info/exclude`, for the root of the work tree.
 */
export const GHOST_FILES: readonly string[] = [
  ...['/.bash_profile', '/.bashrc', '/.gitconfig', '/.gitmodules', '/.mcp.json', '/.profile', '/.ripgreprc'],
  ...['/.zprofile', '/.zshrc', '/.idea', '/.vscode'],
  // Claude Code's own sandbox guards more of its settings.
  ...['agents', 'commands', 'hooks', 'output-styles', 'routines', 'skills', 'workflows', '.cc-writes'].map(ofClaude),
  ...['launch.json', 'loop.md', 'scheduled_tasks.json', 'settings.json', 'settings.local.json'].map(ofClaude),
];

function ofClaude(name: string): string {
  return `/.claude/${name}`;
}
