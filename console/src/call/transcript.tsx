import { Fragment, memo, useEffect, useRef } from 'react';
import { shortTime } from '../format/time.ts';
import { unheardText } from '../format/unheard-text.ts';
import type { Call, TranscriptEntry } from '../generated/client.ts';
import { useLanguage, useText } from '../i18n/language.tsx';
import { entryDetail, entryLabel } from './entry-label.ts';
import { PlayTime } from './play-time.tsx';
import type { Player } from './recording/player.ts';
import { type SpokenPart, speechParts } from './speech-parts.ts';
import { wordAt } from './spoken-words.ts';
import { axisStartMs, stretchOf } from './time-axis.ts';

interface TranscriptProps {
  readonly call: Call;
  readonly player: Player | null;
}

/**
 * Plays from a clicked word. One listener serves all words, so that ten thousand words of half an hour need no elements. Users of a
 * keyboard have the button before each entry.
 */
function useClickedWords(player: Player | null) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const element = list.current;
    if (player === null || element === null) return;
    const onClick = ({ clientX, clientY }: MouseEvent) => {
      const caret = document.caretPositionFromPoint(clientX, clientY);
      const words = caret?.offsetNode.parentElement;
      const { startMs, endMs } = words?.dataset ?? {};
      if (!caret || startMs === undefined || endMs === undefined) return;
      const stretch = { startMs: Number(startMs), endMs: Number(endMs) };
      player.playFrom(wordAt(caret.offsetNode.textContent ?? '', caret.offset, stretch));
    };
    element.addEventListener('click', onClick);
    return () => element.removeEventListener('click', onClick);
  }, [player]);
  return list;
}

/** Every entry in its order. The time plays from the entry, a word from about that word. */
export function Transcript({ call, player }: TranscriptProps) {
  const text = useText();
  const startMs = axisStartMs(call);
  return (
    <section className="card stack" aria-label={text.call.transcript}>
      <h2>{text.call.transcript}</h2>
      {call.transcript.length === 0 && <p className="quiet">{text.call.noTranscript}</p>}
      <ol className="transcript" ref={useClickedWords(player)}>
        {call.transcript.map((entry) => (
          <Entry key={entry.sequence} entry={entry} startMs={startMs} player={player} />
        ))}
      </ol>
    </section>
  );
}

interface EntryProps {
  readonly entry: TranscriptEntry;
  /** 0 on the axis, ms since 1970. */
  readonly startMs: number;
  readonly player: Player | null;
}

/** Drawn again only if it changed: each event of a running call brings the whole transcript. */
const Entry = memo(function Entry({ entry, startMs, player }: EntryProps) {
  const text = useText();
  const stretch = stretchOf(entry, startMs);
  const isSpeech = entry.role === 'user' || entry.role === 'agent';
  return (
    <li id={`entry-${entry.sequence}`} className={`entry entry-${entry.role}`}>
      <PlayTime atMs={stretch.startMs} player={player} />
      <div>
        <p className="entry-role">{text.call.roles[entry.role]}</p>
        {isSpeech ? (
          <Speech entry={entry} parts={speechParts(entry, startMs)} player={player} />
        ) : (
          <EventEntry entry={entry} />
        )}
      </div>
    </li>
  );
});

interface SpeechProps {
  readonly entry: TranscriptEntry;
  readonly parts: readonly SpokenPart[];
  readonly player: Player | null;
}

/** A pause within the speech shows its length and the time at which the speech went on. */
function Speech({ entry, parts, player }: SpeechProps) {
  const text = useText();
  const unheard = unheardText(entry);
  return (
    <p className="speech">
      {parts.map((part, index) => (
        <Fragment key={part.stretch.startMs}>
          {index > 0 && <Pause before={parts[index - 1]} part={part} player={player} />}
          {player === null ? (
            part.content
          ) : (
            <span className="words" data-start-ms={part.stretch.startMs} data-end-ms={part.stretch.endMs}>
              {part.content}
            </span>
          )}
        </Fragment>
      ))}
      {unheard !== '' && (
        <>
          {' '}
          <span className="visually-hidden">{text.call.unheard}: </span>
          <del title={text.call.unheard}>{unheard}</del>
        </>
      )}
    </p>
  );
}

interface PauseProps {
  readonly before: SpokenPart | undefined;
  readonly part: SpokenPart;
  readonly player: Player | null;
}

function Pause({ before, part, player }: PauseProps) {
  const { language, messages: text } = useLanguage();
  const { startMs } = part.stretch;
  return (
    <span className="speech-pause" title={text.call.speechPause}>
      {' '}
      <span className="visually-hidden">{text.call.speechPause} </span>
      {shortTime(Math.max(0, startMs - (before?.stretch.endMs ?? startMs)), language)}{' '}
      <PlayTime atMs={startMs} player={player} />{' '}
    </span>
  );
}

/** An entry that is no speech. */
function EventEntry({ entry }: { readonly entry: TranscriptEntry }) {
  const detail = entryDetail(entry);
  return (
    <>
      <p className="mono">
        {entryLabel(entry)}
        {entry.role === 'tool_response' && !entry.successful && ' ✕'}
        {typeof entry.http_status === 'number' && ` ${entry.http_status}`}
      </p>
      {detail !== '' && <pre className="detail">{detail}</pre>}
    </>
  );
}
