import { type Case, ending, held, heldIf, lost } from './case.ts';
import { git } from './look.ts';

const FLOOD_MB = 200;

/** Agents that do not end as they should. */
export const processes: readonly Case[] = [
  {
    name: 'leaves a process behind',
    question: 'Nothing that an agent started is alive four seconds after the loop ended.',
    agent: () => '(setsid sleep 1000 </dev/null >/dev/null 2>&1 &); work; claim; finished',
    judge({ survivors, ended }) {
      if (!ended) return lost('the loop did not end');
      return heldIf(survivors.length === 0, `${survivors.length} alive: ${nameOf(survivors[0])}`);
    },
  },
  {
    name: 'never ends',
    question: 'An agent that hangs is ended by a time limit: its shortest setting, or its fixed one.',
    agent: () => 'exec sleep 100000',
    timeLimit: true,
    judge(facts, peer) {
      const stopped = facts.ended || facts.visits.length > 1;
      if (!stopped && peer.timeLimit === null && peer.fixedTimeLimit === undefined) {
        return lost('it has no such setting; still waiting at the harness’s limit');
      }
      return heldIf(stopped, stopped ? 'ended by the time limit' : 'still waiting after its limit');
    },
  },
  {
    name: `prints ${FLOOD_MB} MB`,
    question: 'The loop goes on to the end, in less than 1 GB of memory.',
    agent: () =>
      `[ -e src/story-1.txt ] || head -c ${FLOOD_MB}000000 /dev/zero | tr '\\0' 'x' | fold -w 200; work; claim; finished`,
    limit: 240,
    judge(facts) {
      const saw = `${ending(facts)}, ${facts.done} of 3 done, peak ${Math.round(facts.peakMb)} MB`;
      return heldIf(facts.ended && facts.peakMb < 1000 && facts.visits.length > 1, saw);
    },
  },
  {
    name: 'does nothing, for ever',
    question: 'The loop ends by itself.',
    agent: () => "answer 'I looked around. More is to be done.'",
    limit: 60,
    judge: (facts) => heldIf(facts.ended, ending(facts)),
  },
  {
    name: 'reports a usage limit',
    question: 'At most four agents are started into the limit, and no story counts as done.',
    agent: () =>
      `printf '%s\\n' '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"num_turns":1,"session_id":"s","total_cost_usd":0,"usage":{"input_tokens":0,"output_tokens":0},"result":"Claude AI usage limit reached|'$((\${EPOCHREALTIME%.*} + 7200))'"}'; code=1`,
    judge(facts) {
      const saw = `${facts.visits.length} agents in ${Math.round(facts.seconds)} s, ${facts.ended ? 'then ended' : 'still running'}`;
      return heldIf(facts.visits.length <= 4 && facts.done === 0, `${saw}, ${facts.done} counted as done`);
    },
  },
];

/** What people and machines do to the loop. */
export const interruptions: readonly Case[] = [
  {
    name: 'Ctrl-C while an agent works',
    question: 'The loop ends within 20 seconds and leaves no process.',
    mode: 'interrupt',
    limit: 20,
    agent: () => 'sleep 30; work; claim; finished',
    judge: (facts) => afterInterrupt(facts.ended, facts.survivors),
  },
  {
    name: 'Ctrl-C while an agent ignores signals',
    question: 'The loop ends within 20 seconds and leaves no process.',
    mode: 'interrupt',
    limit: 20,
    agent: () =>
      "trap '' INT TERM HUP; mkfifo wait.fifo; exec 9<>wait.fifo; rm wait.fifo; for i in {1..60}; do read -rt 1 -u 9; done; work; claim; finished",
    judge: (facts) => afterInterrupt(facts.ended, facts.survivors),
  },
  {
    name: 'kill -9 of the loop in the second story, started again',
    question: 'All stories are done after the second start, the first agent is gone, its half file is in no commit.',
    mode: 'kill',
    agent: (_, lab) =>
      `if [ -e src/story-1.txt ]; then echo half >src/half.txt; touch '${lab}/midway'; sleep 20; fi; work; claim; finished`,
    async judge(facts) {
      if (!facts.reached) return lost('the second story did not begin');
      const half = (await git(facts, 'ls-files', 'src/half.txt')) ?? '';
      const agents = facts.left.filter((command) => /claude|sleep/.test(command)).length;
      const all = facts.done === 3;
      const saw = [
        all ? 'all stories done' : `${facts.done} of 3 done (${ending(facts)})`,
        agents > 0 ? 'the agent lived on without its loop' : 'the agent ended too',
        half === '' ? 'half file in no commit' : 'half file committed',
      ];
      return heldIf(all && agents === 0 && half === '', saw.join(', '));
    },
  },
  {
    name: 'started twice at once',
    question: 'Never do two agents work in the same tree at the same time.',
    mode: 'twice',
    agent: () => 'sleep 1; work; claim; finished',
    judge({ visits }) {
      const overlap = visits.some((visit, index) =>
        visits.slice(index + 1).some((other) => other.start < (visit.end ?? Number.POSITIVE_INFINITY)),
      );
      return overlap ? lost('two agents at once') : held(`${visits.length} agents, one after the other`);
    },
  },
];

function afterInterrupt(ended: boolean, survivors: readonly string[]) {
  if (!ended) return lost('the loop was still there after 20 s');
  return heldIf(
    survivors.length === 0,
    survivors.length === 0 ? 'all ended' : `${survivors.length} alive: ${nameOf(survivors[0])}`,
  );
}

/** A command line without the folder of this run. */
function nameOf(command = 'none'): string {
  return command.includes('/bin/claude') ? 'the agent' : command.slice(0, 40);
}
