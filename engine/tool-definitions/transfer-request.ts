import { normalisedDestination } from '../agent/destination-syntax.ts';
import { fillTemplate, parseTemplate } from '../agent/templates.ts';
import type { Tool } from '../agent/tool-schema.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TransferRequest } from '../ports/call-control.ts';
import { initialVariables } from '../variables/initial-variables.ts';
import { variableAtPath, variableLookup } from '../variables/variables.ts';
import { headerText } from './tool-arguments.ts';

/** The fields of a `transfer_call` tool that define the transfer. */
type Transfer = Pick<
  Extract<Tool, { readonly type: 'transfer_call' }>,
  'name' | 'destination' | 'mode' | 'headers' | 'ring_timeout' | 'allowed_destinations'
>;

/** Builds the transfer request. `fault`: text for the model. The service applies its destination policy later. */
export function buildTransferRequest(
  step: RuleStep,
  tool: Transfer,
): { readonly request: TransferRequest } | { readonly fault: string } {
  const lookup = variableLookup(step.context);
  const { text, missing } = fillTemplate(tool.destination, lookup);
  for (const variable of missing) {
    step.log({ type: 'variable_missing', variable, usedIn: 'transfer_destination', tool: tool.name });
  }
  if (missing.length > 0 || text.trim() === '') return { fault: 'There is no destination.' };
  const destination = normalisedDestination(text);
  if (destination === null) return { fault: 'Its destination is neither a phone number nor a SIP address.' };
  if (!isAllowed(step, tool, destination)) return { fault: 'This destination is not allowed.' };
  const headers = Object.entries(tool.headers).map(([name, value]) => [
    name,
    headerText(fillTemplate(value, lookup).text),
  ]);
  const request: TransferRequest = {
    destination,
    mode: tool.mode,
    headers: Object.fromEntries(headers),
    ringTimeoutMs: tool.ring_timeout * 1000,
  };
  return { request };
}

/**
 * The user must not choose an arbitrary destination. A destination with an untrusted variable, or one that was set during
 * the call, must be in the tool's list. Text of the configuration and other dynamic variables of the call are trusted.
 */
function isAllowed(step: RuleStep, tool: Transfer, destination: string): boolean {
  const { agent, parameters, variables } = step.context;
  const { untrustedVariables = [], dynamicVariables } = parameters;
  const given = new Map(
    [...initialVariables(agent, parameters)].filter(
      ([name]) => Object.hasOwn(dynamicVariables, name) && !untrustedVariables.includes(name),
    ),
  );
  const trusted = parseTemplate(tool.destination).paths.every((path) => {
    const before = variableAtPath((name) => given.get(name)?.value, path);
    const now = variableAtPath((name) => variables.get(name)?.value, path);
    return before !== undefined && JSON.stringify(before) === JSON.stringify(now);
  });
  return trusted || tool.allowed_destinations.some((allowed) => normalisedDestination(allowed) === destination);
}
