/**
 * Set-up of every test file: what the person who runs the tests has in their environment must not change a result.
 * A test run inside a ralph iteration, inside a git hook, or under a git configuration that signs commits
 * behaves like one in a plain shell.
 */
for (const name of Object.keys(process.env)) {
  if (/^(RALPH|GIT)_/.test(name)) delete process.env[name];
}
process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_NOSYSTEM'] = '1';
// What isolates here depends on what is installed; tests about isolation name the backend that they mean.
process.env['RALPH_ISOLATION_BACKEND'] = 'none';
