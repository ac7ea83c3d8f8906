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
    headers: {} as Record<string, string>,
    ring_timeout: 20,
    allowed_destinations: [] as string[],
  };
  const requested = (
    changes: Partial<typeof TOOL>,
    dynamicVariables: Readonly<Record<string, string>> = {},
    untrustedVariables: readonly string[] = [],
  ) => {
    const parameters = { ...CALL_PARAMETERS, dynamicVariables, untrustedVariables };
    const step = ruleStep(initialContext(agentWith({}), parameters));
    return { built: buildTransferRequest(step, { ...TOOL, ...changes }), notices: notices(step) };
  };

  it('is a variable of the call', () => {
    expect(requested({}, { desk_number: '+49 30 111111' })).toEqual({
      built: { request: { destination: '+4930111111', mode: 'refer', headers: {}, ringTimeoutMs: 20_000 } },
      notices: [],
    });
  });

  it('fails with a message for the model and a notice for the log if its variable is missing', () => {
    expect(requested({})).toEqual({
      built: { fault: 'There is no destination.' },
      notices: [{ type: 'variable_missing', variable: 'desk_number', usedIn: 'transfer_destination', tool: TOOL.name }],
    });
  });

  it('must be a number or a SIP address, and not blank', () => {
    expect(requested({}, { desk_number: ' ' }).built).toEqual({ fault: 'There is no destination.' });
    expect(requested({}, { desk_number: 'the desk' }).built).toEqual({
      fault: 'Its destination is neither a phone number nor a SIP address.',
    });
  });

  it('must be in the list of the tool if its variable is untrusted', () => {
    const variables = { desk_number: '+4930111111', other_number: '+4930222222' };
    const rejected = { fault: 'This destination is not allowed.' };
    const accepted = { request: { destination: '+4930111111' } };
    expect(requested({}, variables, ['desk_number']).built).toEqual(rejected);
    expect(requested({}, variables, ['other_number']).built).toMatchObject(accepted);
    const listed = (...destinations: string[]) =>
      requested({ allowed_destinations: destinations }, variables, ['desk_number']).built;
    expect(listed('+4930222222')).toEqual(rejected);
    expect(listed('+4930222222', '+49 30 111111')).toMatchObject(accepted);
  });

  it('gets headers of one line each, with the values of variables', () => {
    const headers = { 'X-Name': ' {{name}} ', 'X-Queue': 'sales' };
    const { built } = requested({ destination: '+4930111111', headers }, { name: 'Ada\r\nX-Admin: 1' });
    expect(built).toMatchObject({ request: { headers: { 'X-Name': 'Ada X-Admin: 1', 'X-Queue': 'sales' } } });
  });
});
