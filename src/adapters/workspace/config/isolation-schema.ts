import * as z from 'zod';
import { parseHostPattern } from '../../../rules/isolation/hosts.ts';
import { choice, count, flag, GROUP, range, size, text, texts } from './setting-kinds.ts';

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
