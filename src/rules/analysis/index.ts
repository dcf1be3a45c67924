export { analyse, announcesEverything } from './analyse.ts';
export { BLOCK_BEGIN, BLOCK_END } from './markdown.ts';
export { parseStatusBlock, type StatusBlock } from './status-block.ts';
