import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PeerResult, runPeer } from './peer-process.ts';
import { DIALOG_SCENARIOS } from './sipp-dialogs.ts';
import { invite, request } from './sipp-messages.ts';

export interface SippRun {
  readonly target: string;
  readonly localPort: number;
  /** The values of `X-Service-Call-Id`: one call each, in this order. */
  readonly callIds: readonly string[];
  readonly callsPerSecond: number;
  readonly holdMs: number;
  readonly transport?: 'udp' | 'tcp';
  /** Percentage of messages that sipp drops in each direction. */
  readonly lossPercent?: number;
  /** `cancel`: CANCEL right after the 100; the test delays the 200. Others: see `sipp-dialogs.ts`. */
  readonly scenario?: 'call' | 'cancel' | keyof typeof DIALOG_SCENARIOS;
}

/** sipp (`sip-tester`) as the caller of staged calls. Exit code 0: every call followed its scenario. */
export async function runSipp(run: SippRun): Promise<PeerResult> {
  const home = await mkdtemp(join(tmpdir(), 'trunkline-sipp-'));
  const scenario = join(home, 'scenario.xml');
  await writeFile(scenario, scenarioOf(run));
  await writeFile(join(home, 'calls.csv'), `SEQUENTIAL\n${run.callIds.map((id) => `${id};`).join('\n')}\n`);
  const args = [
    run.target,
    ...['-sf', scenario, '-inf', join(home, 'calls.csv'), '-i', '127.0.0.1', '-p', String(run.localPort)],
    ...['-m', String(run.callIds.length), '-r', String(run.callsPerSecond), '-l', '2000', '-nostdin'],
    ...['-t', run.transport === 'tcp' ? 't1' : 'u1', '-trace_err', '-error_file', join(home, 'errors.log')],
    ...(run.lossPercent === undefined ? [] : ['-lost', String(run.lossPercent)]),
  ];
  const seconds = run.callIds.length / run.callsPerSecond + run.holdMs / 1000 + 60;
  return runPeer('sipp', args, { cwd: home, timeoutMs: seconds * 1000 });
}

function scenarioOf({ scenario = 'call', holdMs }: SippRun): string {
  switch (scenario) {
    case 'call':
      return callScenario(holdMs);
    case 'cancel':
      return cancelScenario();
    default:
      return DIALOG_SCENARIOS[scenario](holdMs);
  }
}

function callScenario(holdMs: number): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="staged call">
${invite()}
<recv response="100" optional="true"/>
<recv response="180" optional="true"/>
<recv response="200" rrs="true"/>
<send>${request('ACK [next_url] SIP/2.0', '1 ACK', '[peer_tag_param]', '', '')}</send>
<pause milliseconds="${holdMs}"/>
<send retrans="500">${request('BYE [next_url] SIP/2.0', '2 BYE', '[peer_tag_param]', '', '')}</send>
<recv response="200"/>
</scenario>`;
}

function cancelScenario(): string {
  const via = `<![CDATA[
CANCEL sip:+33987654321@[remote_ip]:[remote_port] SIP/2.0
[last_Via:]
[last_From:]
To: <sip:+33987654321@[remote_ip]:[remote_port]>
[last_Call-ID:]
CSeq: 1 CANCEL
Max-Forwards: 70
Content-Length: 0

]]>`;
  const ack = `<![CDATA[
ACK sip:+33987654321@[remote_ip]:[remote_port] SIP/2.0
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
CSeq: 1 ACK
Max-Forwards: 70
Content-Length: 0

]]>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="cancelled call">
${invite()}
<recv response="100"/>
<send retrans="500">${via}</send>
<recv response="180" optional="true"/>
<recv response="200"/>
<recv response="487"/>
<send>${ack}</send>
</scenario>`;
}
