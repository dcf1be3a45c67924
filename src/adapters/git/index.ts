export { type OpenOptions, openGit } from './open.ts';
