import { memo, useEffect, useRef } from 'react';
import { clockTime } from '../format/time.ts';
import { unheardText } from '../format/unheard-text.ts';
import type { Call, TranscriptEntry } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';
import { entryDetail, entryLabel } from './entry-label.ts';
import type { Player } from './recording/player.ts';
import { wordAt } from './spoken-words.ts';
import { type AxisStretch, axisStartMs, stretchOf } from './time-axis.ts';

interface TranscriptProps {
  readonly call: Call;
  readonly player: Player | null;
}

/**
 * Plays from a clicked word. One listener for all words, which need no elements: half an hour has ten thousand. The button before
 * an entry does the same for the keyboard.
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
  const time = clockTime(stretch.startMs);
  return (
    <li id={`entry-${entry.sequence}`} className={`entry entry-${entry.role}`}>
      {player === null ? (
        <span className="entry-time mono">{time}</span>
      ) : (
        <button
          type="button"
          className="entry-time mono"
          aria-label={`${text.call.playFrom} ${time}`}
          onClick={() => player.playFrom(stretch.startMs)}
        >
          {time}
        </button>
      )}
      <div>
        <p className="entry-role">{text.call.roles[entry.role]}</p>
        {isSpeech ? <Speech entry={entry} stretch={stretch} player={player} /> : <Happening entry={entry} />}
      </div>
    </li>
  );
});

interface SpeechProps {
  readonly entry: TranscriptEntry;
  readonly stretch: AxisStretch;
  readonly player: Player | null;
}

function Speech({ entry, stretch, player }: SpeechProps) {
  const text = useText();
  const unheard = unheardText(entry);
  return (
    <p className="speech">
      {player === null ? (
        entry.content
      ) : (
        <span className="words" data-start-ms={stretch.startMs} data-end-ms={stretch.endMs}>
          {entry.content}
        </span>
      )}
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

function Happening({ entry }: { readonly entry: TranscriptEntry }) {
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
