export { droppedNames, envOf, lendersOf, passedEnvironment, settingsOf } from './environment.ts';
export { equipped, serversFor, toolsAskedFor } from './equip.ts';
export { findLogin } from './logins.ts';
export type { AgentAdapter, AgentAvailability, AgentCapabilities, AgentControl, AgentTask } from './port.ts';
export {
  AGENT_NAMES,
  agentByName,
  agentsOf,
  type Enforcement,
  enforcement,
  INTERACTIVE_AGENTS,
  interactiveStart,
  testedAfter,
  testedWith,
} from './registry.ts';
export type { Action, Scenario } from './scripted/parse-scenario.ts';
export { chooseActions, loadScenario } from './scripted/scenario.ts';
export { startAgent } from './start.ts';
