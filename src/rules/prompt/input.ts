import type {
  BacklogFormat,
  Mode,
  RedGreenProof,
  ReviewFinding,
  Story,
  TamperFinding,
  Violation,
} from '../../contracts/model.ts';
import type { FailureContext } from '../../contracts/state/ledger.ts';
import type { AnsweredQuestion } from '../safeguards/questions.ts';

/** Everything a prompt is made of. */
export interface PromptInput {
  readonly story: Story;
  readonly mode: Mode;
  readonly format: BacklogFormat;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly projectName: string;
  /** Paths relative to the work tree. */
  readonly planPath: string;
  readonly progressPath: string;
  readonly prdPath: string;
  /** null outside numbered layouts. */
  readonly prdNumber: number | null;
  /** Commands the loop will run: global and the story's own. */
  readonly checks: readonly string[];
  /** `BASE..HEAD` of the story's commits; null before the first. */
  readonly reviewRange: string | null;
  /** Nothing was changed for the story: what the agent says shows that it was done before. null where something was. */
  readonly unchanged: readonly string[] | null;
  /** What earlier reviews of the story found, with what became of it. */
  readonly findings: readonly ReviewFinding[];
  /** What was last found out about the story's tests; null where nobody asked. */
  readonly proof: RedGreenProof | null;
  readonly failure: FailureContext | null;
  readonly violations: readonly Violation[];
  /** What looks like weakened tests in the work under review. */
  readonly tampering: readonly TamperFinding[];
  /** What the loop has to say about the run: that it gets nowhere, that it is not finished. */
  readonly warnings: readonly string[];
  /** See `learnedRules`. */
  readonly learnedRules: readonly string[];
  /** Notes of a person, for this prompt only. */
  readonly steer: readonly string[];
  /** Questions that agents asked about this story and a person answered; told as long as it is worked on. */
  readonly answers: readonly Pick<AnsweredQuestion, 'id' | 'text' | 'answer'>[];
  /** Epoch milliseconds. */
  readonly now: number;
}
