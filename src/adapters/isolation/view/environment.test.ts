import { expect, test } from 'vitest';
import type { ViewEntry } from './entry.ts';
import { insideEnvironment } from './environment.ts';

const VIEW: readonly ViewEntry[] = [
  { kind: 'empty', at: '/tmp' },
  { kind: 'read', from: '/usr', at: '/usr' },
  { kind: 'write', from: '/state/home', at: '/home/una' },
  { kind: 'read', from: '/home/una/.nvm/versions/22/bin', at: '/home/una/.nvm/bin' },
  { kind: 'read', from: '/data/rustup', at: '/data/rustup' },
  { kind: 'read', from: '/data/cargo/bin', at: '/data/cargo/bin' },
];
const person = { env: { HOME: '/home/una' } };
const inside = (env: Record<string, string>) => insideEnvironment(env, person, VIEW);

test("the person's proxies and the sockets of the session are not passed on", () => {
  const env = inside({
    HTTPS_PROXY: 'http://user:pass@proxy.example:8080',
    ALL_PROXY: 'socks5://proxy.example',
    npm_config_https_proxy: 'http://proxy.example',
    SSH_AUTH_SOCK: '/run/user/1000/agent',
    XDG_RUNTIME_DIR: '/run/user/1000',
    LANG: 'C.UTF-8',
  });
  expect(JSON.stringify(env)).not.toMatch(/proxy\.example|run\/user/);
  expect(env).toMatchObject({ LANG: 'C.UTF-8', HTTPS_PROXY: 'http://127.0.0.1:3128', TMPDIR: '/tmp', IS_SANDBOX: '1' });
});

test('PATH keeps what is there, and nothing that an agent could put programs into for those after it', () => {
  const PATH = '/home/una/.local/bin:/home/una/.nvm/bin:/opt/gone/bin:/usr/bin:.:/data/cargo/bin::/data/other';
  expect(inside({ PATH })['PATH']).toBe('/home/una/.nvm/bin:/usr/bin:/data/cargo/bin');
});

test('a variable that names a place keeps it where that is there, and is dropped where not', () => {
  const env = inside({
    CARGO_HOME: '/data/cargo',
    RUSTUP_HOME: '/data/rustup',
    GOPATH: '/home/una/go',
    BASE_URL: '/api',
  });
  expect(env).toMatchObject({ RUSTUP_HOME: '/data/rustup', GOPATH: '/home/una/go', BASE_URL: '/api' });
  expect(env['CARGO_HOME']).toBe(undefined);
});

test.each(['/', '/nonexistent', 'not absolute', ''])('an account with the home folder "%s" has one inside', (HOME) => {
  const env = insideEnvironment({}, { env: { HOME } }, VIEW);
  expect(env['HOME']).toMatch(/^\/./);
  expect(env['HOME']).not.toBe('/nonexistent');
});
