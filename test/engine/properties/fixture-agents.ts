import { readdirSync, readFileSync } from 'node:fs';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent-schema.ts';
import { agentWith } from '../simulation/agent-with.ts';

const FOLDER = new URL('../../../fixtures/agents/', import.meta.url);
const STATES = 100;

/** The agents of `fixtures/agents`, and one with the maximum number of states. */
export function fixtureAgents(): readonly { readonly name: string; readonly agent: AgentConfiguration }[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  const agents = files.map((file) => ({
    name: file,
    agent: agentConfigurationSchema.parse(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'))),
  }));
  return [...agents, { name: 'a hundred states', agent: largestAgent() }];
}

/** Each state has transitions to the next state, far ahead and back, so every state has several paths to it. */
function largestAgent(): AgentConfiguration {
  return agentWith({
    initial_state_name: 'state 0',
    states: Array.from({ length: STATES }, (_, index) => ({
      name: `state ${index}`,
      prompt: `You are in room ${index}.`,
      transitions: [index + 1, index * 3 + 1, index + STATES - 7].map((to) => ({
        condition: `to ${to % STATES}`,
        destination_state_name: `state ${to % STATES}`,
      })),
    })),
  });
}
