import { useEffect, useRef } from 'react';
import { useText } from '../i18n/language.tsx';
import type { WebCall } from './connection/web-call.ts';

/** How loud both sides are. Drawn without React: it changes with every frame of the screen. */
export function Meters({ call }: { readonly call: WebCall }) {
  const text = useText();
  const you = useRef<HTMLSpanElement>(null);
  const agent = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      const levels = call.audio?.levels() ?? { you: 0, agent: 0 };
      if (you.current !== null) you.current.style.transform = `scaleX(${levels.you.toFixed(3)})`;
      if (agent.current !== null) agent.current.style.transform = `scaleX(${levels.agent.toFixed(3)})`;
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [call]);
  return (
    <div className="meters" aria-hidden="true">
      <span>{text.talk.you}</span>
      <span className="meter">
        <span className="meter-level meter-you" ref={you} />
      </span>
      <span>{text.talk.agent}</span>
      <span className="meter">
        <span className="meter-level meter-agent" ref={agent} />
      </span>
    </div>
  );
}
