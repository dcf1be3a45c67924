export { droppedNames, passedEnvironment } from './allowed-environment.ts';
export type { AgentAdapter, AgentAvailability, AgentCapabilities, AgentControl, AgentTask } from './port.ts';
export {
  AGENT_NAMES,
  agentByName,
  type Enforcement,
  enforcement,
  INTERACTIVE_AGENTS,
  interactiveStart,
  testedVersion,
  testedWith,
} from './registry.ts';
export { chooseActions } from './scripted/choose.ts';
export { loadScenario } from './scripted/scenario.ts';
export type { Action, Scenario } from './scripted/scenario-schema.ts';
export { startAgent } from './start.ts';
