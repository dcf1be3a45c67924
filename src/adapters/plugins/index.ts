export type { PluginFailure, PluginRow, Plugins, Said } from './open-plugins.ts';
export { COMPLETE_FILE, ralphComplete } from './ralph-complete.ts';
