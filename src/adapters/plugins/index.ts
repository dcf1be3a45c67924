export type { PluginFailure, PluginRow, Plugins } from './open-plugins.ts';
export { COMPLETE_FILE, ralphComplete } from './ralph-complete.ts';
