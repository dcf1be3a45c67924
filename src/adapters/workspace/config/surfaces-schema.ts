import * as z from 'zod';
import { EVENT_TYPES } from '../../../contracts/index.ts';
import { parseHostPattern } from '../../../rules/isolation/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import { choice, count, flag, GROUP, range, size, text, texts } from './setting-kinds.ts';

/** Settings for what people see and are notified of. */

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

const HOST = "must be a list of host names, e.g. ['api.example.com', '*.example.com', 'example.com:8443']";

/** The settings `isolation.*`. */
export const isolationSchema = z
  .strictObject(
    {
      backend: choice('auto', 'sbx', 'container', 'bwrap', 'srt', 'none')
        .default('auto')
        .describe('What isolates agents, checks and commit hooks; auto takes the best that is proven to work here.'),
      required: flag.default(false).describe('Refuse to start where it cannot be used, instead of going on with less.'),
      allowHosts: z
        .array(
          text.refine((host) => parseHostPattern(host) !== null, HOST),
          HOST,
        )
        .default([])
        .describe("Hosts that may be reached beside the agent's own and the package registries."),
      registries: flag.default(true).describe("Let the package registries of the project's files be reached."),
      localPorts: z
        .array(range(1, 65_535))
        .default([])
        .describe("Ports of this machine's loopback that may be reached, e.g. that of a database."),
      read: texts.default([]).describe('More files and folders that may be read.'),
      write: texts.default([]).describe('More folders that may be written.'),
      memory: size.nullable().default(null).describe("Memory of one sandbox; null: three quarters of the machine's."),
      processes: count(16).default(4096).describe('Processes and threads of one sandbox.'),
      cpus: z
        .number('must be a number of processors')
        .positive('must be more than nothing')
        .nullable()
        .default(null)
        .describe('Processors of one sandbox; null: all.'),
      container: z
        .strictObject(
          {
            engine: choice('podman', 'docker')
              .nullable()
              .default(null)
              .describe('The engine; null: the first that works.'),
            image: text
              .nullable()
              .default(null)
              .describe('Image with git, node and the agent; null: the programs of this machine, read-only.'),
            args: texts.default([]).describe("Arguments added to the engine's `run`."),
          },
          GROUP,
        )
        .prefault({})
        .describe('The backend `container`.'),
    },
    GROUP,
  )
  .prefault({})
  .describe('Where agents, checks and commit hooks run, and what they may reach there.');
