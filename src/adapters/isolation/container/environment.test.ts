import { expect, test } from 'vitest';
import { containerEnvironment } from './environment.ts';

const PERSON = { HOME: '/home/una', PATH: '/usr/bin', XDG_RUNTIME_DIR: '/run/user/1000', TOKEN: 'of the person' };

test('values are in the environment of the client, and only names on its command line', () => {
  const { flags, client } = containerEnvironment({ API_KEY: 'secret', GOOGLE_API_KEY: 'too' }, PERSON);
  expect(flags.join(' ')).toBe('--env API_KEY --env GOOGLE_API_KEY --env RALPH_RUN_ID --env RALPH_WARDEN');
  expect(client).toMatchObject({ API_KEY: 'secret', GOOGLE_API_KEY: 'too' });
});

test("the client keeps the person's home, path and sockets, whatever they are inside", () => {
  const inside = { HOME: '/home/agent', PATH: '/opt/bin', TMPDIR: '/tmp' };
  const { flags, client } = containerEnvironment(inside, { ...PERSON, DOCKER_HOST: 'unix:///run/docker.sock' });
  expect(flags).toEqual(
    expect.arrayContaining(['--env', 'HOME=/home/agent', 'PATH=/opt/bin', 'TMPDIR=/tmp', 'RALPH_RUN_ID']),
  );
  expect(client).toEqual({
    HOME: '/home/una',
    PATH: '/usr/bin',
    XDG_RUNTIME_DIR: '/run/user/1000',
    DOCKER_HOST: 'unix:///run/docker.sock',
  });
});

test("nothing else of the person's environment reaches the client", () => {
  expect(containerEnvironment({}, PERSON).client).not.toHaveProperty('TOKEN');
});

test('what marks the processes of a run is always asked for, and never given a value of the caller', () => {
  const { flags, client } = containerEnvironment({ RALPH_RUN_ID: 'other' }, PERSON);
  expect(flags).toEqual(['--env', 'RALPH_RUN_ID', '--env', 'RALPH_WARDEN']);
  expect(client).not.toHaveProperty('RALPH_RUN_ID');
});
