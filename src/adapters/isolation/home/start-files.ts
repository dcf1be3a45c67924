/**
 * What programs read whenever they start, below the home folder: what an agent writes there would speak to the next
 * agent, to the reviewer and to the checks. Removed before every agent; a login is in none of them.
 */
export const START_FILES: readonly string[] = [
  // shells
  ...['.profile', '.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.inputrc', '.kshrc'],
  ...[
    '.shrc',
    '.zshenv',
    '.zprofile',
    '.zshrc',
    '.zlogin',
    '.config/fish',
    '.config/environment.d',
    '.pam_environment',
  ],
  // git and what it talks through
  ...['.gitconfig', '.config/git', '.gitattributes', '.gitignore', '.ssh', '.netrc', '.curlrc', '.wgetrc'],
  // package managers and interpreters
  ...['.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmrc', '.config/pnpm', '.bunfig.toml', '.node_repl_history', '.noderc'],
  ...[
    '.pydistutils.cfg',
    '.pip',
    '.config/pip',
    '.pythonrc',
    '.pythonstartup',
    '.condarc',
    '.gemrc',
    '.irbrc',
    '.bundle',
  ],
  ...['.cargo/config', '.cargo/config.toml', '.config/go', '.m2/settings.xml', '.mavenrc', '.gradle/init.gradle'],
  ...[
    '.gradle/init.d',
    '.gradle/gradle.properties',
    '.sbtrc',
    '.composer/config.json',
    '.config/composer',
    '.nuget/NuGet',
  ],
  ...['.dircolors', '.editorconfig', '.vimrc', '.exrc', '.gdbinit', '.makepkg.conf', '.rpmmacros'],
  // clients, debuggers, version managers
  ...[
    '.hgrc',
    '.psqlrc',
    '.sqliterc',
    '.my.cnf',
    '.pdbrc',
    '.lldbinit',
    '.tool-versions',
    '.config/mise',
    '.config/uv',
  ],
  ...['.config/pypoetry', '.config/nvim', '.ipython'],
  // where Node looks for modules when it finds them nowhere else
  ...['.node_modules', '.node_libraries', 'node_modules', 'package.json'],
];
