import type { AgentFaultName } from './agent-faults.ts';
import type { DamageName } from './damage.ts';
import type { PersonDeed } from './person.ts';
import type { ShapeName } from './shapes.ts';
import type { StateFileName } from './state-files.ts';

/** When a fault of the surroundings strikes: milliseconds after the start, and how long it lasts. */
interface Span {
  readonly at: number;
  readonly for: number;
}

/** Parts of a project that can get full or read-only each by itself. */
export type Part = 'work tree' | 'git dir' | 'state folder' | 'spec folder' | 'temp folder';

/** Whom a signal reaches. */
export type Target = 'loop' | 'agent' | 'both' | 'git';

/** One thing that goes wrong. Pure data: it can be saved, read back, and made smaller. */
export type Fault =
  | { readonly kind: 'crash'; readonly point: string }
  | {
      readonly kind: 'signal';
      readonly signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT';
      readonly to: Target;
      readonly at: number;
    }
  | ({ readonly kind: 'pause'; readonly to: 'loop' | 'agent' } & Span)
  | { readonly kind: 'agent'; readonly does: AgentFaultName }
  | ({ readonly kind: 'full'; readonly part: Part } & Span)
  | ({ readonly kind: 'read-only'; readonly part: Part } & Span)
  | { readonly kind: 'clock'; readonly seconds: number; readonly at: number }
  | { readonly kind: 'starts'; readonly count: number }
  /** A person works in the same checkout, milliseconds after the start; the agent is isolated then. */
  | { readonly kind: 'person'; readonly does: PersonDeed; readonly at: number }
  | {
      readonly kind: 'file';
      readonly file: StateFileName;
      readonly damage: DamageName;
      /** Before a start, after the first one has ended, or while it runs (milliseconds after its start). */
      readonly when: 'before' | 'between' | number;
    };

export type FaultKind = Fault['kind'];

/** What is tried once: a repository, its stories, and what goes wrong. */
export interface TortureCase {
  readonly version: 1;
  readonly seed: number;
  readonly stories: number;
  readonly shapes: readonly ShapeName[];
  readonly faults: readonly Fault[];
}

/** One line for people. Pure. */
export function describeCase({ stories, shapes, faults }: TortureCase): string {
  const faultsText = faults.map(describeFault).join(' + ') || 'no fault';
  return `${faultsText} · ${stories} ${stories === 1 ? 'story' : 'stories'}${shapes.length > 0 ? ` · ${shapes.join(', ')}` : ''}`;
}

function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'crash':
      return `kill -9 at ${fault.point}`;
    case 'signal':
      return `${fault.signal} to ${fault.to} after ${fault.at} ms`;
    case 'pause':
      return `${fault.to} stopped after ${fault.at} ms for ${fault.for} ms`;
    case 'agent':
      return `agent ${fault.does}`;
    case 'full':
    case 'read-only':
      return `${fault.part} ${fault.kind} after ${fault.at} ms for ${fault.for} ms`;
    case 'clock':
      return `clock jumps ${fault.seconds} s after ${fault.at} ms`;
    case 'person':
      return `a person ${fault.does} after ${fault.at} ms`;
    case 'starts':
      return `${fault.count} starts at once`;
    case 'file':
      return `${fault.file} ${fault.damage} ${typeof fault.when === 'number' ? `after ${fault.when} ms` : fault.when}`;
  }
}
