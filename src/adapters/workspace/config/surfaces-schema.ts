import * as z from 'zod';
import { EVENT_TYPES } from '../../../contracts/event-types.ts';
import { nearest } from '../../../rules/nearest.ts';
import { choice, GROUP, range, text } from './setting-kinds.ts';

/** Settings of what people see and are told. */

const WHEN = ['never', 'end', 'attention'] as const;

const eventType = z.enum(EVENT_TYPES, {
  error: ({ input }) => {
    const near = typeof input === 'string' ? nearest(input, EVENT_TYPES) : null;
    return near === null
      ? `must be a type of event: ${EVENT_TYPES.join(', ')}`
      : `must be a type of event: did you mean '${near}'?`;
  },
});

const webhook = z.strictObject(
  {
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    secretEnv: text.nullable().default(null),
    events: z
      .array(eventType, 'must be a list of types of events')
      .min(1, 'must name a type of event; without the setting it gets those a person needs')
      .default(['run-end', 'wait', 'circuit', 'budget', 'question']),
  },
  GROUP,
);

export const notifySchema = z
  .strictObject(
    {
      webhooks: z
        .array(
          z.preprocess((value) => (typeof value === 'string' ? { url: value } : value), webhook),
          'must be a list',
        )
        .default([])
        .describe(
          'Addresses that get events as CloudEvents: a URL, or {"url", "secretEnv": variable with the signing secret, "events": types}.',
        ),
      desktop: choice(...WHEN)
        .default('never')
        .describe('Desktop notification: at the end of a run, or also when it waits for a person.'),
      bell: choice(...WHEN)
        .default('never')
        .describe("The terminal's bell: at the end of a run, or also when it waits for a person."),
    },
    GROUP,
  )
  .prefault({})
  .describe('Who is told of a run that nobody watches.');

export const dashboardSchema = z
  .strictObject(
    { port: range(0, 65_535).default(4747).describe('Port of the dashboard; 0 takes any free one.') },
    GROUP,
  )
  .prefault({})
  .describe('The web dashboard.');

const plugin = z.strictObject(
  { use: text, options: z.record(z.string(), z.unknown()).default({}) },
  'must be a path, a package name or a group of `use` and `options`',
);

export const pluginsSchema = z
  .array(
    z.preprocess((value) => (typeof value === 'string' ? { use: value } : value), plugin),
    'must be a list',
  )
  .default([])
  .describe('Plugins: paths that start with ./, names of packages, or {"use": path or name, "options": {…}}.');
