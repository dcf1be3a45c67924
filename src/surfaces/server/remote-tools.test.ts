import { expect, test } from 'vitest';
import { remoteToolbox } from './remote-tools.ts';
import { testSession, withAgent } from './server.fixture.ts';

test('the tools of a run are listed and called from another process as in the run', async () => {
  const session = testSession({
    tool: async (name, args) => ({ text: `${name}\n\ndata: ${args['word']} é`, isError: false }),
  });
  const { url, token } = await withAgent(session);
  const { tools, tool } = await remoteToolbox(url, token);
  expect(tools).toEqual(session.tools);
  expect(await tool('echo', { word: 'hi' })).toEqual({ text: 'echo\n\ndata: hi é', isError: false });
  expect(await tool('echo', {})).toMatchObject({ isError: true, text: expect.stringContaining("property 'word'") });
});

test('a run that ended under way is an answer to the model, not a failure', async () => {
  const { url, token, revoke, close } = await withAgent();
  const { tool } = await remoteToolbox(url, token);
  revoke();
  expect(await tool('echo', { word: 'x' })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^echo was not called: the run's server refused \(401\)/),
  });
  await close();
  expect(await tool('echo', { word: 'x' })).toEqual({
    isError: true,
    text: `echo was not called: the run's server at ${url} cannot be reached: the run has ended`,
  });
});

test('a server that is not there, and a token that is nobody’s, are told apart', async () => {
  const { url, close } = await withAgent();
  await expect(remoteToolbox(url, 'nobody')).rejects.toThrow('refused (401)');
  await close();
  await expect(remoteToolbox(url, 'nobody')).rejects.toThrow('cannot be reached');
});
