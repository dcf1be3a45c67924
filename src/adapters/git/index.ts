export { openGit } from './open.ts';
