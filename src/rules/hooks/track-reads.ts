import { NOTHING, type Step } from './step.ts';
import { targetOf } from './target.ts';
import { toolUse } from './tools.ts';

/** What the agent read, and what it wrote itself, it may edit. Only in a run: elsewhere nothing asks for it. */
export const trackReads: Step = (event, context) => {
  const use = toolUse(event);
  if (context.run === null || (use.kind !== 'read' && use.kind !== 'write') || use.path === '') return NOTHING;
  const { path } = targetOf(use.path, event, context);
  const { session } = context;
  return session.read.has(path) ? NOTHING : { session: { ...session, read: new Set([...session.read, path]) } };
};
