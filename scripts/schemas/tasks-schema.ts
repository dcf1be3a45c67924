import * as z from 'zod';

/*
 * The published JSON Schema of `tasks.json`, for editors. The loop itself judges a backlog with rules/backlog, which
 * says more (unique ids, dependencies) and gives lines; a test holds the two together.
 */

const commands = z.array(z.string().min(1));

const story = z.looseObject({
  id: z.string().min(1).describe('Unique, e.g. `US-001`.'),
  title: z.string().min(1).describe('One line.'),
  description: z.string().default('').describe('What is wanted, and for whom.'),
  acceptanceCriteria: z.array(z.string().min(1)).min(1).describe('Each can be checked by itself.'),
  priority: z.number().describe('1 is worked on first.'),
  passes: z.boolean().default(false).describe('Done. Set by the loop.'),
  reviewStatus: z
    .enum(['needs_review', 'changes_requested', 'approved'])
    .nullable()
    .default(null)
    .describe('Set by the loop.'),
  reviewCount: z.int().min(0).default(0).describe('Reviews so far. Set by the loop.'),
  reviewFeedback: z.string().default('').describe('What the last review wants changed. Set by the loop.'),
  notes: z.string().default('').describe('What later iterations should know.'),
  dependsOn: z.array(z.string()).default([]).describe('Ids of stories that must be done first.'),
  model: z.string().optional().describe('Model for this story.'),
  verifyCommands: commands.optional().describe("This story's own checks; it is done only when they pass."),
  paths: z.array(z.string()).optional().describe('Where the work is expected.'),
  estimate: z.union([z.string(), z.number()]).optional().describe('Size.'),
  labels: z.array(z.string()).optional().describe('For people.'),
  url: z.string().optional().describe('Where the story came from, e.g. the address of a GitHub issue.'),
  repo: z.string().optional().describe('In a backlog for a folder of clones: the folder of the clone that it is for.'),
  blocked: z.string().optional().describe('Why it is blocked.'),
});

/** What `tasks.json` may hold; unknown fields are kept. */
export const tasksSchema = z
  .looseObject({
    $schema: z.string().optional(),
    project: z.string().describe('Name of the project.'),
    branchName: z.string().describe('Branch the work goes to.'),
    description: z.string().default('').describe('What the stories together are about.'),
    verifyCommands: commands.default([]).describe('Checks that the loop runs itself after each iteration.'),
    userStories: z.array(story).describe('The stories, in any order.'),
  })
  .describe('Backlog of ralph.');

/** The JSON Schema of the native backlog. */
export function tasksJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(tasksSchema, { io: 'input' });
}
