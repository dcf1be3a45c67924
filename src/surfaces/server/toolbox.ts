import type { Desk } from '../../loop/control.ts';

/** The tools of a desk, without its hooks: what MCP serves. */
export type Toolbox = Pick<Desk, 'tools' | 'tool'>;
