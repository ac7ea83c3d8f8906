import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encodeWav } from '../../base/audio/wav.ts';
import { readEvents } from '../../console/src/api/sent-events.ts';
import { entryDetail, entryLabel } from '../../console/src/call/entry-label.ts';
import { levelsPath, lossPercent } from '../../console/src/call/network-levels.ts';
import { scrollWith } from '../../console/src/call/recording/scroll-with.ts';
import { wavPeaks } from '../../console/src/call/recording/wav-peaks.ts';
import { legName, sipSteps } from '../../console/src/call/sip-steps.ts';
import { speechParts } from '../../console/src/call/speech-parts.ts';
import { wordAt } from '../../console/src/call/spoken-words.ts';
import { stretchOf, voicedStretch } from '../../console/src/call/time-axis.ts';
import { maskedValue } from '../../console/src/call/variable-value.ts';
import { webVtt } from '../../console/src/call/web-vtt.ts';
import { isFiltered, listQueryOf, readCallSearch } from '../../console/src/calls/call-search.ts';
import { calledName, partyName } from '../../console/src/calls/party-name.ts';
import { responseTimes } from '../../console/src/calls/response-times.ts';
import { shownFilter, typedFilter } from '../../console/src/calls/typed-filter.ts';
import { decimal } from '../../console/src/format/decimal.ts';
import { money } from '../../console/src/format/money.ts';
import { clockTime, shortTime } from '../../console/src/format/time.ts';
import { unheardText } from '../../console/src/format/unheard-text.ts';
import { de } from '../../console/src/i18n/de.ts';
import { en } from '../../console/src/i18n/en.ts';
import { es } from '../../console/src/i18n/es.ts';
import { fr } from '../../console/src/i18n/fr.ts';
import {
  activeKey,
  EMPTY_KEYRING,
  isOperators,
  withKey,
  withoutKey,
  withoutRefused,
} from '../../console/src/session/keyring.ts';
import { neededScope } from '../../console/src/shell/navigation.ts';
import { validSearch } from '../../console/src/shell/valid-search.ts';
import { END_REASONS } from '../../engine/ports/end-reason.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../src/storage/access/organization-repository.ts';

const START = '2026-11-23T10:00:00.000Z';
const START_MS = Date.parse(START);
const AT_1S = '2026-11-23T10:00:01.000Z';
const AT_3S = '2026-11-23T10:00:03.000Z';

function agentEntry(content: string, generated?: string) {
  const spoken = { role: 'agent' as const, sequence: 1, start_time: AT_1S, end_time: AT_3S, content };
  return generated === undefined ? spoken : { ...spoken, generated_content: generated };
}

function heldKey(id: string) {
  return {
    secret: `secret of ${id}`,
    key: { id, name: id, organization_id: 'o', scopes: ['read' as const] },
  };
}

describe('a call on its time axis', () => {
  it('places an entry from the answer on, and shows an entry without an end', () => {
    expect(stretchOf({ start_time: AT_1S, end_time: AT_3S }, START_MS)).toEqual({ startMs: 1_000, endMs: 3_000 });
    const open = stretchOf({ start_time: AT_1S, end_time: null }, START_MS);
    expect(open.endMs).toBeGreaterThan(open.startMs);
  });

  it('ends the bar of the user with the voice, also if the words lasted longer', () => {
    const words = { startMs: 1_000, endMs: 3_200 };
    const voice = [{ start_ms: 1_000, end_ms: 1_600 }];
    expect(voicedStretch(words, voice)).toEqual({ startMs: 1_000, endMs: 1_600 });
    expect(voicedStretch(words, [...voice, { start_ms: 3_000, end_ms: 3_500 }])).toEqual(words);
    expect(voicedStretch(words, [])).toEqual(words);
    expect(voicedStretch(words, [{ start_ms: 0, end_ms: 1_000 }])).toEqual(words);
  });

  it('plays from the begin of the clicked word, in order and within the entry', () => {
    const stretch = { startMs: 1_000, endMs: 3_000 };
    expect([0, 2, 4, 7, 10].map((place) => wordAt('one, three', place, stretch))).toEqual([
      1_000, 1_000, 1_000, 2_000, 2_000,
    ]);
    fc.assert(
      fc.property(fc.string(), (content) => {
        const times = Array.from(content, (_, place) => wordAt(content, place, stretch));
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        expect(times.every((time) => time >= 1_000 && time <= 3_000)).toBe(true);
      }),
    );
  });

  it('names a tool without brackets: its arguments are below', () => {
    const entry = { ...agentEntry(''), role: 'tool_call' as const, name: 'availability', arguments: { time: 'seven' } };
    expect(entryLabel(entry)).toBe('availability');
    expect(entryDetail(entry)).toBe('{"time":"seven"}');
  });

  it('finds the generated text that was not heard', () => {
    expect(unheardText(agentEntry('Good day.', 'Good day. How can I help?'))).toBe('How can I help?');
    expect(unheardText(agentEntry('Good day.'))).toBe('');
    expect(unheardText(agentEntry('Good day.', 'Another text'))).toBe('');
  });

  it('gives each piece of speech between two pauses its own time, on the axis and in the WebVTT', () => {
    const parts = [
      { start_time: START, end_time: AT_1S, content: 'My number is' },
      { start_time: AT_3S, end_time: null, content: 'zero three' },
    ];
    const spoken = { role: 'user' as const, sequence: 1, start_time: START, end_time: null };
    const entry = { ...spoken, content: 'My number is zero three', parts };
    expect(speechParts(entry, START_MS)).toMatchObject([
      { content: 'My number is', stretch: { startMs: 0, endMs: 1_000 } },
      { content: 'zero three', stretch: { startMs: 3_000 } },
    ]);
    expect(webVtt({ start_time: START, created_at: START, transcript: [entry] })).toContain(
      '00:00:00.000 --> 00:00:01.000\n<v User>My number is</v>\n\n00:00:03.000 -->',
    );
    for (const odd of [[], 'none', [parts[0]], [{ content: '<b>' }, null]])
      expect(speechParts({ ...entry, parts: odd }, START_MS)).toMatchObject([{ content: entry.content }]);
  });

  it('scrolls a zoomed axis so that the playhead stays visible', () => {
    const visible = { scrolledPx: 1_000, visiblePx: 500 };
    expect(scrollWith(1_100, visible)).toBeNull();
    expect(scrollWith(1_490, visible)).toBe(1_390);
    expect(scrollWith(5_000, visible)).toBe(4_900);
    expect(scrollWith(300, visible)).toBe(200);
    expect(scrollWith(10, visible)).toBe(0);
  });

  it('masks phone numbers in the values of variables, and no other digits', () => {
    const call = { from_number: '+33123450002', to_number: null };
    expect(maskedValue('+33123450002', call)).toBe('"+33•••••••02"');
    expect(maskedValue({ callback: 'sip:33123450002@example.com', other: ['+4930123456'] }, call)).toBe(
      '{"callback":"sip:33•••••••02@example.com","other":["+49••••••56"]}',
    );
    expect(maskedValue('2026-11-28T22:21:27.283Z', call)).toBe('"2026-11-28T22:21:27.283Z"');
    expect(maskedValue(20_261_128, call)).toBe('20261128');
  });
});

describe('the list of calls', () => {
  it('leads a web call from the browser to an agent, and names each end in every language', () => {
    const call = { type: 'web_call', from_number: null, to_number: null } as const;
    for (const messages of [en, de, fr, es]) {
      expect(calledName(call, messages)).toBe(messages.calls.agent);
      expect(partyName(call, call.from_number, messages)).toBe(messages.calls.web);
      expect(Object.keys(messages.endReasons)).toEqual(END_REASONS);
    }
    expect(calledName({ type: 'phone_call', to_number: '+33987654321' }, en)).toBe('+33•••••••21');
  });

  it('shows the slowest response beside the median, and filters by it', () => {
    const shown = (times: { median: number | null; p95: number | null; max?: number }, language = 'en') =>
      responseTimes({ metrics: { response_ms: times } }, language);
    expect(shown({ median: 655, p95: 3_000, max: 3_060 })).toBe('655\u00a0ms / 3.06\u00a0s');
    expect(shown({ median: 655, p95: 3_000 })).toBe('655\u00a0ms / 3.00\u00a0s');
    expect(shown({ median: 1_655, p95: 3_000 }, 'de')).toBe('1,66\u00a0s / 3,00\u00a0s');
    expect(shown({ median: null, p95: null })).toBe('');
    expect(listQueryOf(readCallSearch({ slowestAbove: '2000' }))).toEqual({ slowestResponseMsGt: 2_000 });
  });
});

describe('the files of a call', () => {
  it('writes WebVTT in which the words of a speaker are no markup', () => {
    const vttOf = (content: string) =>
      webVtt({ start_time: START, created_at: START, transcript: [agentEntry(content)] });
    const head = 'WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n';
    expect(vttOf('<b>Fish & chips</b>')).toBe(`${head}<v Agent>&lt;b&gt;Fish &amp; chips&lt;/b&gt;</v>\n`);
    expect(vttOf('Press 1 --> sales\rand wait')).toBe(`${head}<v Agent>Press 1 --&gt; sales and wait</v>\n`);
  });

  it('reads the peaks of both channels of a recording', async () => {
    const rate = 8_000;
    const samples = Int16Array.from({ length: rate * 2 }, (_, index) => (index % 2 === 0 ? 16_384 : 0));
    const format = { encoding: 'linear16', sampleRateHz: rate } as const;
    const wav = encodeWav({ format, channels: 2, data: new Uint8Array(samples.buffer) });
    const { channels, durationMs } = await wavPeaks(new Uint8Array(wav).buffer);
    expect(durationMs).toBe(1_000);
    expect(channels.map((peaks) => [...new Set(peaks)])).toEqual([[0.5], [0]]);
  });

  it('reads each message of a SIP ladder with its direction', () => {
    const ladder =
      'caller  Call-ID a@b\n\n       0.0 ms  caller  <──  udp 192.0.2.1:5060  INVITE sip:1@b (CSeq 1 INVITE) +SDP\n' +
      '      12.5 ms  callee 2  ──>  udp 192.0.2.2:5060  200 OK (CSeq 1 INVITE)\n';
    expect(sipSteps(ladder)).toMatchObject([
      { atMs: 0, leg: 'caller', isSent: false, remote: 'udp 192.0.2.1:5060' },
      { atMs: 12.5, leg: 'callee 2', isSent: true, message: '200 OK (CSeq 1 INVITE)' },
    ]);
    expect(sipSteps(ladder).map(({ leg }) => legName(leg, de))).toEqual(['Anrufer', 'Angerufener 2']);
  });
});

it('an event stream that arrives in pieces gives each event once', () => {
  const stream = 'id: 1\nevent: a\ndata: {"x":1}\n\n: keep-alive\n\nid: 2\nevent: b\ndata: {}\n\n';
  for (let cut = 0; cut <= stream.length; cut++) {
    const first = readEvents(stream.slice(0, cut));
    const second = readEvents(first.rest + stream.slice(cut));
    expect([...first.events, ...second.events].map(({ id, type }) => `${id}${type}`)).toEqual(['1a', '2b']);
  }
});

it('times are short', () => {
  expect([clockTime(75_400), clockTime(3_600_000)]).toEqual(['1:15', '1:00:00']);
  expect([shortTime(840, 'en'), shortTime(1_240, 'en')]).toEqual(['840 ms', '1.24 s']);
});

it('decimals have the sign of the language', () => {
  expect(['en', 'de', 'fr', 'es'].map((language) => shortTime(1_240, language))).toEqual([
    '1.24 s',
    '1,24 s',
    '1,24 s',
    '1,24 s',
  ]);
  expect([money(0.0004, 'en'), money(1_234.5, 'de')]).toEqual(['0.0004', '1.234,5000']);
  expect([decimal(4.3, 2, 'en'), decimal(0.0012, 4, 'de'), decimal(0, 1, 'fr')]).toEqual(['4.30', '0,0012', '0,0']);
});

it('one language and precision need one format', () => {
  const made = vi.spyOn(Intl, 'NumberFormat');
  expect([1.5, 2.5, 3.5].map((value) => decimal(value, 7, 'en'))).toEqual(['1.5000000', '2.5000000', '3.5000000']);
  expect(made).toHaveBeenCalledOnce();
  made.mockRestore();
});

it('pages need the scope of their place in the navigation, and a form the scope to write', () => {
  const paths = ['/agents', '/agents/x', '/agents/new', '/agents/new/', '/talk', '/audit-log', '/callsign', '/'];
  expect(paths.map(neededScope)).toEqual(['read', 'read', 'write', 'write', 'write', 'admin', null, null]);
});

it('a removed key makes room for the next one, and the last one signs out', () => {
  const both = withKey(withKey(EMPTY_KEYRING, heldKey('a')), heldKey('b'));
  expect(activeKey(both)?.key.id).toBe('b');
  const one = withoutKey(both, 'b');
  expect(activeKey(one)?.key.id).toBe('a');
  expect(withoutKey(one, 'a')).toEqual(EMPTY_KEYRING);
});

it('a key that two requests of a page were refused with stays refused', () => {
  const refused = withoutRefused(withKey(EMPTY_KEYRING, heldKey('a')), 'a');
  expect(refused).toEqual({ held: [], activeId: null, isRefused: true });
  expect(withoutRefused(refused, 'a')).toEqual(refused);
});

it('a key of the default organization is the operator’s', () => {
  expect(isOperators({ organization_id: DEFAULT_ORGANIZATION_ID })).toBe(true);
  expect(isOperators({ organization_id: '00000000-0000-4000-8000-000000000002' })).toBe(false);
});

it('the address of the list is read without trust, and asks the API for whole days', () => {
  expect(readCallSearch({ view: 'running', agent: 'x', type: 'fax', after: '<b>', before: '2026-11-23' })).toEqual({
    view: 'running',
    before: '2026-11-23',
  });
  const { createdAtGt, createdAtLt, ...others } = listQueryOf({ after: '2026-11-23', before: '2026-11-23' });
  expect(Date.parse(createdAtLt ?? '') - Date.parse(createdAtGt ?? '')).toBe(24 * 3_600_000);
  // A call that was not answered has no other time.
  expect(others).toEqual({});
});

describe('the filters of the list', () => {
  const asked = (search: Readonly<Record<string, unknown>>) => listQueryOf(readCallSearch(search));

  it('find an entry of the metadata as a text, a number or a boolean', () => {
    const metadataOf = (entry: string) => JSON.parse(asked({ metadata: entry }).metadata ?? '');
    expect(metadataOf('order=1234')).toEqual({ order: 1234 });
    expect(metadataOf('order="1234"')).toEqual({ order: '1234' });
    expect(metadataOf('order="true"')).toEqual({ order: 'true' });
    expect(metadataOf('agreed=true')).toEqual({ agreed: true });
    expect(metadataOf('campaign = spring')).toEqual({ campaign: 'spring' });
    expect(metadataOf('quote="')).toEqual({ quote: '"' });
  });

  it('take numbers as people write them, and leave it to the service to refuse one', () => {
    expect(asked({ from: '+49 (151) 123-456', to: '0151 2345' })).toEqual({
      fromNumber: '+49151123456',
      toNumber: '01512345',
    });
    expect(asked({ from: 'Ann' })).toEqual({});
  });

  it('take an amount with either decimal sign, and no other text', () => {
    const typed = (text: string, language: string) => typedFilter('slowestAbove', text, language);
    for (const language of ['en', 'de', 'fr', 'es']) {
      expect([typed('0,05', language), typed('1.5', language), typed('0,005', language)]).toEqual([
        '0.05',
        '1.5',
        '0.005',
      ]);
      expect([typed('a lot', language), typed('1,5,0', language), typed('1,500.5', language)]).toEqual([
        null,
        null,
        null,
      ]);
    }
    expect([typed('1,500', 'en'), typed('1.500', 'en')]).toEqual([null, '1.500']);
    expect([typed('1,500', 'de'), typed('1.500', 'de')]).toEqual(['1.500', null]);
    expect(asked({ costAbove: '0.05', costBelow: ' 1.5 ', slowestAbove: '0,05' })).toEqual({
      costGt: 0.05,
      costLt: 1.5,
    });
  });

  it('show an amount with the decimal sign of the language', () => {
    expect(['en', 'de', 'fr', 'es'].map((language) => shownFilter(0.05, language))).toEqual([
      '0.05',
      '0,05',
      '0,05',
      '0,05',
    ]);
    expect([shownFilter('v=1.5', 'de'), shownFilter(undefined, 'de')]).toEqual(['v=1.5', '']);
  });

  it('are cleared by an empty text, and refuse an entry without its value', () => {
    expect(typedFilter('costAbove', '', 'en')).toBe('');
    expect(typedFilter('metadata', 'campaign', 'en')).toBeNull();
    expect(typedFilter('metadata', 'campaign=1,5', 'en')).toBe('campaign=1,5');
  });

  it('bound the cost and both response times on either side', () => {
    const bounds = { costAbove: '0.5', costBelow: '2', responseAbove: '1', responseBelow: '3', slowestBelow: '9' };
    expect(asked(bounds)).toEqual({
      costGt: 0.5,
      costLt: 2,
      responseMsGt: 1,
      responseMsLt: 3,
      slowestResponseMsLt: 9,
    });
  });
});

describe('the network of a call', () => {
  it('has a line with gaps where nothing was measured', () => {
    const levels = [
      { startMs: -20, endMs: 1_000, level: 4 },
      { startMs: 1_000, endMs: 2_000, level: 3 },
      { startMs: 2_000, endMs: 3_000, level: null },
      { startMs: 3_000, endMs: 4_000, level: 4 },
    ];
    expect(levelsPath(levels, 4.5)).toBe('M0 0.50L1000 0.50L1000 1.50L2000 1.50M3000 0.50L4000 0.50');
  });

  it('has a loss only if it is known', () => {
    expect(lossPercent({ packets: 75, lost: 25 })).toBe(25);
    expect(lossPercent({ packets: 75, lost: null })).toBeNull();
    expect(lossPercent({ packets: 0, lost: 0 })).toBeNull();
  });
});

it('takes the list without a filter for the list of all calls', () => {
  expect(isFiltered(readCallSearch({}))).toBe(false);
  expect(isFiltered(validSearch(readCallSearch)({ status: 'unheard of' }))).toBe(false);
  expect(isFiltered(readCallSearch({ view: 'running' }))).toBe(false);
  expect(isFiltered(readCallSearch({ status: 'failed' }))).toBe(true);
});
