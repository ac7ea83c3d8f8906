import { describe, expect, it } from 'vitest';
import { customFunctionSchema } from '../../../../engine/agent/tool-schema.ts';
import type { ToolRun } from '../../../../engine/ports/tool-runner.ts';
import { toolRequest } from '../../../../src/calls/custom-functions/tool-request.ts';

function toolRun(tool: object, run: Partial<ToolRun> = {}): ToolRun {
  const parsed = customFunctionSchema.parse({
    type: 'custom_function',
    name: 'f',
    url: 'https://a.example/b',
    ...tool,
  });
  return { tool: parsed, values: {}, url: parsed.url, headers: {}, ...run };
}

const noSecrets = (): never => {
  throw new Error('was TRUNKLINE_MASTER_KEY changed?');
};
const VALUES = { day: 'Fri & Sat', guests: 4, outside: false, note: null, wishes: ['quiet', 'ü'] };

describe('the request of a tool call', () => {
  it('appends parameters to an existing query and keeps the path', () => {
    const run = toolRun({}, { values: VALUES, url: 'https://a.example/b%2Fc?key=%20x' });
    expect(toolRequest(run, noSecrets)).toEqual({
      method: 'GET',
      url: 'https://a.example/b%2Fc?key=%20x&day=Fri+%26+Sat&guests=4&outside=false&wishes=%5B%22quiet%22%2C%22%C3%BC%22%5D',
      headers: { accept: 'application/json, */*;q=0.5', 'user-agent': 'trunkline' },
      timeoutMs: 20_000,
      responseBytesMax: 1_048_576,
    });
  });

  it('sends JSON with the types of the values', () => {
    const request = toolRequest(
      toolRun({ method: 'POST', content_type: 'json', timeout: 3 }, { values: VALUES }),
      noSecrets,
    );
    expect(JSON.parse(request.body ?? '')).toEqual(VALUES);
    expect(request).toMatchObject({ url: 'https://a.example/b', timeoutMs: 3_000 });
    expect(request.headers['content-type']).toBe('application/json');
  });

  it('sends a form', () => {
    const request = toolRequest(toolRun({ method: 'PUT', content_type: 'form' }, { values: VALUES }), noSecrets);
    expect(request.body).toBe('day=Fri+%26+Sat&guests=4&outside=false&wishes=%5B%22quiet%22%2C%22%C3%BC%22%5D');
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it.each(['json', 'form'])('sends a GET without a body for any content type: %s', (content_type) => {
    const request = toolRequest(toolRun({ content_type }, { values: { a: 1 } }), noSecrets);
    expect(request.body).toBeUndefined();
    expect(request.url).toBe('https://a.example/b?a=1');
    expect(request.headers).not.toHaveProperty('content-type');
  });

  it('sends a parameter named __proto__ literally', () => {
    const values: ToolRun['values'] = JSON.parse('{"__proto__":"x"}');
    const request = toolRequest(toolRun({ method: 'POST', content_type: 'json' }, { values }), noSecrets);
    expect(request.body).toBe('{"__proto__":"x"}');
  });

  it('prefers headers of the agent and resolves references to secrets', () => {
    const tool = {
      method: 'POST',
      content_type: 'json',
      headers: [
        { name: 'Content-Type', value: 'application/vnd.api+json' },
        { name: 'Authorization', value: 'sealed:1', secret: true },
      ],
    };
    const headers = { 'Content-Type': 'application/vnd.api+json', Authorization: 'sealed:1' };
    const request = toolRequest(toolRun(tool, { headers }), (reference) =>
      reference === 'sealed:1' ? 'Bearer key' : noSecrets(),
    );
    expect(request.headers).toMatchObject({ 'content-type': 'application/vnd.api+json', authorization: 'Bearer key' });
  });

  it('does not resolve a reference in a header that is not secret', () => {
    const run = toolRun({ headers: [{ name: 'X-A', value: 'sealed:1' }] }, { headers: { 'X-A': 'sealed:1' } });
    expect(toolRequest(run, () => 'opened').headers['x-a']).toBe('sealed:1');
  });

  it('fails without a request if a secret is missing, and does not reveal the reference', () => {
    const run = toolRun(
      { headers: [{ name: 'X-Key', value: 'sealed:9', secret: true }] },
      { headers: { 'X-Key': 'sealed:9' } },
    );
    expect(() => toolRequest(run, noSecrets)).toThrow('the secret of the header X-Key cannot be read');
  });

  it('converts user text to a valid one-line header', () => {
    const headers = { 'X-Name': 'Žofie\r\nX-Injected: yes\u0000' };
    expect(
      Buffer.from(toolRequest(toolRun({}, { headers }), noSecrets).headers['x-name'] ?? '', 'latin1').toString(),
    ).toBe('Žofie X-Injected: yes');
  });

  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'Expect'])(
    'never sends a header %s that the agent defines',
    (name) => {
      expect(toolRequest(toolRun({}, { headers: { [name]: '1' } }), noSecrets).headers).not.toHaveProperty(
        name.toLowerCase(),
      );
    },
  );

  it('names its trace span, unless the agent sets the header', () => {
    const trace = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: false };
    const own = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
    expect(toolRequest(toolRun({}), noSecrets, trace).headers.traceparent).toBe(own);
    const run = toolRun({}, { headers: { Traceparent: 'of the agent' } });
    expect(toolRequest(run, noSecrets, trace).headers.traceparent).toBe('of the agent');
  });

  it('refuses an invalid URL', () => {
    expect(() => toolRequest(toolRun({}, { url: 'https://' }), noSecrets)).toThrow('not valid');
  });
});
