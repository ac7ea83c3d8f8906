import { describe, expect, it } from 'vitest';
import { customFunctionSchema } from '../../../../engine/agent/tool-schema.ts';
import type { ToolRun } from '../../../../engine/ports/tool-runner.ts';
import type { ServiceRequest, ServiceResponse } from '../../../../src/calls/host-process/host-messages.ts';
import {
  type CallServices,
  handleServiceRequest,
  ServiceAccess,
} from '../../../../src/calls/host-process/service-access.ts';

const url = 'https://example.com';
const tool = customFunctionSchema.parse({ type: 'custom_function', name: 'f', url });
const RUN: ToolRun = { tool, url, values: {}, headers: {} };

describe('the services of a call in a host process', () => {
  it('run the tool of the agent with its sealed secrets and its organization', () => {
    const asked: unknown[] = [];
    const services: CallServices = {
      tools: ({ sealedSecrets }, organizationId, trace) => ({
        run: (run, done, toolCallId) => {
          asked.push([sealedSecrets, organizationId, trace, run, toolCallId]);
          done({ successful: true, content: 'ok', mapped: [] });
        },
      }),
      knowledge: () => ({ search() {} }),
    };
    const access = new ServiceAccess(({ id, request }) =>
      handleServiceRequest(services, request, (response) => access.receive(id, response)),
    );
    const results: unknown[] = [];
    const sealedSecrets = new Map([['secret:1', 'x']]);
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };
    access.tools({ sealedSecrets }, 'o', trace).run(RUN, (result) => results.push(result), 'call_1');
    expect(asked).toEqual([[sealedSecrets, 'o', trace, RUN, 'call_1']]);
    expect(results).toEqual([{ successful: true, content: 'ok', mapped: [] }]);
  });

  it('pass each response once to the request with its id', () => {
    const open: [number, ServiceRequest][] = [];
    const access = new ServiceAccess(({ id, request }) => open.push([id, request]));
    const found: string[] = [];
    for (const organization of ['one', 'two']) {
      access.knowledge(organization).search({ knowledgeBaseIds: [], query: organization }, ({ type }) => {
        found.push(`${organization} ${type}`);
      });
    }
    const response: ServiceResponse = { type: 'knowledge', result: { type: 'found', passages: [] } };
    const failed: ServiceResponse = { type: 'knowledge', result: { type: 'failed' } };
    const [[first] = [0], [second] = [0]] = open;
    access.receive(second, failed);
    access.receive(first, response);
    access.receive(first, failed);
    expect(open.map(([, { organizationId }]) => organizationId)).toEqual(['one', 'two']);
    expect(found).toEqual(['two failed', 'one found']);
  });
});
