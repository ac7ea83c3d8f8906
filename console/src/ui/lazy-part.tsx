import { type ComponentType, useEffect, useState } from 'react';
import { useText } from '../i18n/language.tsx';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';

/**
 * A part of a page whose script is loaded when it is first shown. If that fails, the rest of the page stays as it is, with what was
 * typed there. A second attempt fails for good if the service has another version: its script has another name.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let Loaded: ComponentType<P> | null = null;
  return function LazyPart(props: P) {
    const text = useText();
    const [isRetried, setRetried] = useState(false);
    const [phase, setPhase] = useState<'loading' | 'loaded' | 'failed'>('loading');
    useEffect(() => {
      if (phase !== 'loading') return;
      load().then(
        (component) => {
          Loaded = component;
          setPhase('loaded');
        },
        () => setPhase('failed'),
      );
    }, [phase]);
    const retry = () => {
      setRetried(true);
      setPhase('loading');
    };
    if (Loaded !== null) return <Loaded {...props} />;
    if (phase !== 'failed') return <p className="quiet">{text.common.loading}</p>;
    return (
      <Notice tone="bad">
        <p>{text.common.notLoaded}</p>
        {isRetried && <p>{text.common.reload}</p>}
        <Button onClick={retry}>{text.common.tryAgain}</Button>
      </Notice>
    );
  };
}
