import { describe, expect, it } from 'vitest';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { buildTransferRequest } from '../../../engine/tool-definitions/transfer-request.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { notices, ruleStep } from '../simulation/rule-step.ts';

describe('the destination of a transfer', () => {
  const TOOL = {
    name: 'desk',
    destination: '{{desk_number}}',
    mode: 'refer' as const,
    headers: {},
    ring_timeout: 20,
    allowed_destinations: [],
  };
  const requested = (changes: Partial<typeof TOOL>, dynamicVariables: Readonly<Record<string, string>> = {}) => {
    const step = ruleStep(initialContext(agentWith({}), { ...CALL_PARAMETERS, dynamicVariables }));
    return { built: buildTransferRequest(step, { ...TOOL, ...changes }), notices: notices(step) };
  };

  it('is a variable of the call', () => {
    expect(requested({}, { desk_number: '+49 30 111111' })).toEqual({
      built: { request: { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 20_000 } },
      notices: [],
    });
  });

  it('is told to the model and logged if its variable is missing', () => {
    expect(requested({})).toEqual({
      built: { fault: 'There is no destination.' },
      notices: [{ type: 'variable_missing', variable: 'desk_number', usedIn: 'transfer_destination', tool: TOOL.name }],
    });
  });
});
