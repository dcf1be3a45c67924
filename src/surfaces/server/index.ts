export { bearerToken, mintToken, sameToken } from './callers.ts';
export { remoteToolbox } from './remote-tools.ts';
export { closeServer, listen, readBody, whyForeign } from './requests.ts';
export { startControlServer } from './start.ts';
export { serveToolsOverStdio } from './stdio.ts';
export type { Toolbox } from './tool-server.ts';
