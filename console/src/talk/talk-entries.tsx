import { useEffect, useRef } from 'react';
import { unheardText } from '../format/unheard-text.ts';
import type { TranscriptEntry } from '../generated/client.ts';
import { useText } from '../i18n/language.tsx';

/** A list that scrolls must be reachable by keyboard (WCAG 2.1.1). */
const KEYBOARD_FOCUSABLE = { tabIndex: 0 };
/** New entries scroll the list only if its end is at most this far below its visible part, px. */
const NEAR_END_PX = 60;

/** The transcript of a running call, as it grows. */
export function TalkEntries({ entries }: { readonly entries: readonly TranscriptEntry[] }) {
  const text = useText();
  const list = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (entries.length > 0 && isAtEnd.current) list.current?.scrollTo(0, list.current.scrollHeight);
  }, [entries]);
  return (
    <section
      className="talk-entries"
      ref={list}
      role="log"
      aria-label={text.talk.transcript}
      {...KEYBOARD_FOCUSABLE}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {entries.length === 0 && <p className="quiet">{text.talk.empty}</p>}
      <ol>
        {entries.map((entry) => (
          <Entry key={entry.sequence} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

function Entry({ entry }: { readonly entry: TranscriptEntry }) {
  const { talk } = useText();
  if (entry.role === 'user' || entry.role === 'agent') return <Speech entry={entry} />;
  const note = noteOf(entry, talk);
  return note === null ? null : <li className="talk-note">{note}</li>;
}

function Speech({ entry }: { readonly entry: TranscriptEntry }) {
  const { talk } = useText();
  const speaker = entry.role === 'user' ? talk.you : talk.agent;
  const unheard = unheardText(entry);
  return (
    <li className={`talk-speech talk-${entry.role}`}>
      <span className="talk-speaker">{entry.interrupted === true ? `${speaker}, ${talk.interrupted}` : speaker}</span>
      {entry.content}
      {unheard !== '' && (
        <>
          {' '}
          <span className="visually-hidden">{talk.unheard}: </span>
          <del>{unheard}</del>
        </>
      )}
    </li>
  );
}

function noteOf(entry: TranscriptEntry, talk: ReturnType<typeof useText>['talk']): string | null {
  switch (entry.role) {
    case 'dtmf':
      return talk.digits(entry.content);
    case 'tool_call':
      return talk.tool(String(entry.name));
    case 'tool_response':
      return entry.successful === true ? null : talk.toolFailed(String(entry.name));
    case 'state_transition':
      return talk.state(String(entry.to));
    default:
      return null;
  }
}
