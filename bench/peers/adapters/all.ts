import type { Peer } from '../peer.ts';
import { bareLoop } from './bare-loop.ts';
import { ralph } from './ralph.ts';
import { ralphStarter } from './ralph-starter.ts';
import { ralphTemplate } from './ralph-template.ts';
import { ralphTui } from './ralph-tui.ts';
import { ralphy } from './ralphy.ts';

/** Every peer that the harness knows by name, ralph first. */
export const peers: readonly Peer[] = [ralph, bareLoop, ralphTemplate, ralphy, ralphStarter, ralphTui];
