/** Places of a word. `prose`: comments, titles of tests, README files and `docs/`. `string`: literals of the product. */
export type Place = 'name' | 'prose' | 'string';

/** A word that another term has replaced (`docs/glossary.md`). */
export interface RetiredWord {
  /**
   * Matched against plain lower-case words: `heldKeys_2` reads `held keys 2`, a file `line-end.ts` reads `line end ts`.
   * Names are those of files, folders, types, functions, variables and fields.
   */
  readonly pattern: RegExp;
  /** Folders where the word is retired, including their tests in `test/`. By default all folders. */
  readonly folders?: readonly string[];
  /** Subfolders of these where the word is correct. */
  readonly except?: readonly string[];
  /** By default all places. */
  readonly places?: readonly Place[];
  readonly instead: string;
}

const PROSE = ['prose', 'string'] as const;
const NAMES = ['name'] as const;

export const RETIRED_WORDS: readonly RetiredWord[] = [
  // Parties
  {
    pattern: /\bcallers?\b(?! (?:id|wav))/,
    folders: ['engine'],
    except: ['engine/tape', 'engine/languages'],
    places: ['name', 'prose'],
    instead: 'user',
  },
  { pattern: /\bstrangers?\b/, instead: 'unknown source' },
  { pattern: /\bvouch\w*/, instead: 'verified source, source verification' },
  {
    pattern: /\bcaller gate\b|\bknown sources?\b|\badmission\b(?! lateness)/,
    places: NAMES,
    instead: 'inbound policy',
  },
  { pattern: /\bwanted\b/, folders: ['sip'], places: NAMES, instead: 'allowed source' },
  { pattern: /\bawaited\b/, folders: ['sip'], places: NAMES, instead: 'source verification: unverified' },

  // Turn-taking
  { pattern: /(?<!math )\bfloor\b/, folders: ['engine'], places: ['name', 'prose'], instead: 'turn; agent state' },
  { pattern: /\bnative turns?\b/, except: ['engine/tape'], instead: 'provider turn detection' },
  { pattern: /\bturn is due\b|\btaken turns?\b/, instead: 'end of turn; committed turn' },
  {
    pattern: /\bverdicts?\b|\bundone\b/,
    folders: ['engine', 'sip'],
    instead: 'result; tentative, confirmed or false interruption',
  },
  { pattern: /\bplays? on\b/, instead: 'resume playback' },
  {
    pattern: /(?<!\bon )\b(?:hold|held)\b/,
    folders: ['engine'],
    places: NAMES,
    instead: 'pause playback; on hold for SIP hold alone',
  },
  { pattern: /\bcut to heard\b|\brefine cut\b/, instead: 'truncate' },
  { pattern: /\bbusy said\b/, instead: 'filler' },
  // In `engine/languages/` what users say.
  { pattern: /\bsayings?\b|\bmakes? way\b/, except: ['engine/languages'], instead: 'queued speech, say request' },
  { pattern: /\bow(?:ed|es)\b/, instead: 'pending' },

  // Model, tools, speech
  {
    pattern: /\blines?\b/,
    folders: ['engine'],
    except: ['engine/tape', 'engine/languages'],
    places: NAMES,
    instead: 'segment; turn',
  },
  { pattern: /\b(?:tool|function|search) answers?\b/, places: NAMES, instead: 'tool result' },
  {
    pattern: /\b(?!model|object|private|api)\w+ keys?\b|\bkeys? (?!of)\w+/,
    folders: ['engine'],
    places: NAMES,
    instead: 'DTMF digits, DTMF entry',
  },
  {
    pattern: /\b(?:heard|info|same) keys?\b|\bkey (?:ways?|tones)\b|\bon key\b/,
    folders: ['sip'],
    places: NAMES,
    instead: 'DTMF digit',
  },
  // The model reads «the caller pressed keys».
  { pattern: /(?<!\bthe caller )\bpressed keys?\b|\bkeys? press(?:es|ed)?\b/, instead: 'DTMF digits' },
  {
    pattern: /\b(?:gives?|giving|given|gave) up\b/,
    places: NAMES,
    instead: 'failover; timeout; dead letter (webhooks)',
  },
  { pattern: /\b(?:rests|resting|rested)\b/, places: NAMES, instead: 'circuit breaker: open' },
  { pattern: /\bpatience\b/, instead: 'timeout, deadline' },
  { pattern: /\bis machine\b|\battend\w*/, folders: ['engine'], places: NAMES, instead: 'answering machine detection' },
  { pattern: /\bfacts?\b/, folders: ['engine', 'src'], places: NAMES, instead: 'call parameters' },
  { pattern: /\btall(?:y|ies)\b/, instead: 'metrics' },
  {
    pattern: /\bfigures?\b/,
    // In `adapters/` figures are numbers in a text.
    folders: ['engine', 'sip', 'src'],
    instead: 'metrics',
  },

  // SIP, RTP, service
  { pattern: /(?<!\bmedia )\bplane\b/, instead: 'media session, media plane' },
  { pattern: /(?<!\btiming )\bwheel\b/, except: ['console'], instead: 'pacer, timing wheel' },
  { pattern: /\bdoorbell\b|\bslot memory\b/, instead: 'wake-up; ring buffer' },
  { pattern: /\bpulse\b/, folders: ['sip', 'src'], instead: 'heartbeat' },
  { pattern: /\brevivals?\b|\brevived?\b|\bdeaths?\b/, places: NAMES, instead: 'respawn, restore; exit' },
  { pattern: /\border(?:s|ed)?\b/, folders: ['engine'], places: NAMES, instead: 'request, command' },
  { pattern: /^order$/, folders: ['src'], places: NAMES, instead: 'request' },
  {
    pattern: /\b(?:node|live|call|phone call|transfer|redirect|stage|reading|vector|second leg) orders?\b/,
    folders: ['src', 'sip'],
    // Names of tables and columns stay.
    except: ['src/storage/schema'],
    places: NAMES,
    instead: 'request, command',
  },
  { pattern: /\btold\b/, places: NAMES, instead: 'emitted, notified, reported' },
  { pattern: /\bled\b/, folders: ['src'], places: NAMES, instead: 'leader, lease' },
  { pattern: /\bnobody s\b|\blooks? after\b/, instead: 'orphaned call; adopt' },

  // Words without a technical meaning
  { pattern: /\bwhoever\b/, places: PROSE, instead: 'the party or the module' },
  // The model reads «nobody answered», «nobody hears you yet», «nobody is to be reached» and «its address has no user part».
  {
    pattern: /\bnobody\b(?! (?:answered|hears you|is to be reached)\b)/,
    // What users say.
    except: ['engine/languages'],
    places: PROSE,
    instead: 'no caller, no module, no …',
  },
  { pattern: /\b(?:is|are|be|was) away\b/, except: ['bench'], places: PROSE, instead: 'is unreachable' },
  { pattern: /\banew\b/, instead: 'again' },
  { pattern: /\bmeanwhile\b/, places: PROSE, instead: 'while …' },
  { pattern: /\bbefalls?\b/, instead: 'happens to' },
  { pattern: /\bcomes? of\b/, places: PROSE, instead: 'result' },
  { pattern: /\btells? of\b/, places: PROSE, instead: 'reports' },
  { pattern: /\b(?:is|are|be) had\b/, places: PROSE, instead: 'is available, can be read' },
  { pattern: /\blets? go\b/, instead: 'release' },
];
