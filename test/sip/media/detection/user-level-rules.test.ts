import { describe, expect, it } from 'vitest';
import { PlayedAudio } from '../../../../sip/media/detection/echo/played-audio.ts';
import { FORGOTTEN_FRAMES, UserLevel } from '../../../../sip/media/detection/user-level.ts';

const FRAME_SAMPLES = 160;
const FRAME_MS = 20;
/** The level is known after this much voice; the first frames of a sound do not count. */
const LEARNT_FRAMES = 40;
const ONSET_FRAMES = 2;
/** Frames whose mean power is compared. */
const MEAN_FRAMES = 8;
/** A stretch that goes on is judged from this length on. */
const STRETCH_FRAMES_MIN = 40;
/** Soft voice of this length, after the time of `FORGOTTEN_FRAMES`, is the next level. */
const SOFT_FRAMES_MAX = 75;
/** Soft voice under the agent: more of the first is another's, from the second on no soft answer follows. */
const LISTENING_FRAMES_MAX = 10;
const TELEVISION_FRAMES_MIN = 50;
/** An answer has this much soft voice. */
const SOFT_TURN_FRAMES_MIN = 20;
/** The agent counts as silent from this many frames on. */
const UNHEARD_FRAMES = 10;
/** Vowels and consonants of the user. */
const LOUD_POWER = 4_000_000;
const QUIET_POWER = 400_000;
const MEAN_POWER = (LOUD_POWER + QUIET_POWER) / 2;
const decibels = (db: number) => 10 ** (db / 10);
/** About the last 15 s of voice count, and up to 20 s. */
const FRAMES_MAX = 1_000;

/** A call frame by frame, in powers. */
class Frames {
  readonly #played = new PlayedAudio();
  readonly level = new UserLevel(this.#played);
  readonly #loud = Int16Array.from({ length: FRAME_SAMPLES }, (_, at) => (at % 2 === 0 ? 8_000 : -8_000));
  #isAgentSpeaking = false;

  agent(speaks: boolean): this {
    this.#isAgentSpeaking = speaks;
    return this;
  }

  #pass(): void {
    if (this.#isAgentSpeaking) this.#played.agent(this.#loud, FRAME_SAMPLES);
    else this.#played.agentSilent(FRAME_MS);
    this.level.pass();
  }

  /** Frames without voice: a pause. */
  silence(frames: number): this {
    for (let at = 0; at < frames; at++) this.#pass();
    this.level.endSound();
    this.level.endStretch();
    return this;
  }

  /** Voiced frames of one power; the answers whether each is the user's. */
  voice(frames: number, power: number, isNearEnd = true): readonly boolean[] {
    return Array.from({ length: frames }, () => {
      this.#pass();
      return this.level.isUser(power, isNearEnd);
    });
  }

  /** The user speaks for this many frames, which the level is learnt from; louder than usual by `db`. */
  speech(frames: number, isNearEnd = true, db = 0): this {
    for (let at = 0; at < frames; at++) {
      this.voice(1, (at % 2 === 0 ? LOUD_POWER : QUIET_POWER) * decibels(db), isNearEnd);
    }
    return this;
  }
}

/** The user has spoken, and was silent since then. */
const learnt = () => new Frames().speech(2 * LEARNT_FRAMES).silence(UNHEARD_FRAMES);
const allOf = (answers: readonly boolean[]) => [...new Set(answers)];
const softerBy = (db: number) => MEAN_POWER * decibels(-db);

describe('the level of the user', () => {
  const SOFT = LOUD_POWER * decibels(-20);
  const isSoftUser = (frames: Frames) => allOf(frames.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, SOFT));

  it('is not known before 0.8 s of voice: every voice is the user', () => {
    expect(isSoftUser(new Frames().speech(ONSET_FRAMES + 1 + LEARNT_FRAMES - 2))).toEqual([true]);
    expect(isSoftUser(new Frames().speech(ONSET_FRAMES + 1 + LEARNT_FRAMES))).toEqual([false]);
  });

  it('is not learnt from sounds that may be an echo', () => {
    expect(isSoftUser(new Frames().speech(4 * LEARNT_FRAMES, false))).toEqual([true]);
  });

  it('is not learnt from a steady tone', () => {
    const frames = new Frames();
    frames.voice(4 * LEARNT_FRAMES, LOUD_POWER);
    expect(isSoftUser(frames)).toEqual([true]);
  });

  it('lies 8.5 dB below the vowels of the user', () => {
    const isUser = (db: number) => allOf(learnt().voice(MEAN_FRAMES, LOUD_POWER * decibels(-db)));
    expect(isUser(6.5)).toEqual([true]);
    expect(isUser(10.5)).toEqual([false]);
  });

  it('is compared with the mean of several frames: a single loud one in a soft voice is no user', () => {
    const frames = learnt();
    frames.voice(MEAN_FRAMES, SOFT);
    expect(frames.voice(1, LOUD_POWER / 2)).toEqual([false]);
    expect(frames.voice(MEAN_FRAMES, LOUD_POWER).at(-1)).toBe(true);
  });

  it('stays while the agent speaks, and is forgotten after silence of both and a soft voice', () => {
    const agentSpoke = learnt()
      .agent(true)
      .silence(2 * FORGOTTEN_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    expect(allOf(agentSpoke.voice(MEAN_FRAMES, SOFT))).toEqual([false]);
    const silent = learnt().silence(FORGOTTEN_FRAMES);
    expect(allOf(silent.voice(MEAN_FRAMES, SOFT))).toEqual([true]);
  });

  it('is forgotten after 5 s, not sooner', () => {
    // The frame of the voice counts too.
    const silent = (frames: number) => new Frames().speech(2 * LEARNT_FRAMES).silence(frames - 1);
    expect(silent(FORGOTTEN_FRAMES).voice(1, SOFT)).toEqual([true]);
    expect(silent(FORGOTTEN_FRAMES - 1).voice(1, SOFT)).toEqual([false]);
  });

  it('is not learnt from the soft voice that follows, while it is not forgotten', () => {
    const call = new Frames().speech(LEARNT_FRAMES + 6).silence(FORGOTTEN_FRAMES);
    for (let at = 0; at < SOFT_FRAMES_MAX - 1; at++) call.voice(1, at % 2 === 0 ? SOFT : SOFT * decibels(-10));
    call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, LOUD_POWER);
    expect(allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, LOUD_POWER * decibels(-12)))).toEqual([false]);
  });

  it('is not that of single loud frames', () => {
    const call = new Frames();
    for (let at = 0; at < 4 * LEARNT_FRAMES; at++) {
      call.voice(1, at % 10 === 9 ? LOUD_POWER * decibels(9) : at % 2 === 0 ? LOUD_POWER : QUIET_POWER);
    }
    expect(allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, LOUD_POWER * decibels(-6.5)))).toEqual([true]);
  });

  it('follows a user who speaks louder', () => {
    const call = learnt().speech(6 * LEARNT_FRAMES, true, 12);
    expect(allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, LOUD_POWER))).toEqual([false]);
  });

  it('is that of the last 15 s or so: a user who speaks softer is followed', () => {
    const isUser = (frames: number) => {
      const call = new Frames().speech(3 * FRAMES_MAX).speech(frames, true, -6);
      return allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, LOUD_POWER * decibels(-6 - 6.5)));
    };
    expect(isUser(FRAMES_MAX)).toEqual([true]);
    expect(isUser(FRAMES_MAX / 10)).toEqual([false]);
  });

  it('is forgotten for the voice that is heard then for 1.5 s, if that is certainly no echo', () => {
    const softVoiceIsUser = (frames: number, isNearEnd: boolean) => {
      const call = learnt().silence(FORGOTTEN_FRAMES);
      call.voice(frames, SOFT, isNearEnd);
      call.voice(MEAN_FRAMES, LOUD_POWER);
      return isSoftUser(call);
    };
    expect(softVoiceIsUser(SOFT_FRAMES_MAX - 1, true)).toEqual([false]);
    expect(softVoiceIsUser(SOFT_FRAMES_MAX, true)).toEqual([true]);
    expect(softVoiceIsUser(2 * SOFT_FRAMES_MAX, false)).toEqual([false]);
  });

  it('is learnt from that voice', () => {
    const call = learnt().silence(FORGOTTEN_FRAMES);
    for (let at = 0; at < SOFT_FRAMES_MAX + 2 * LEARNT_FRAMES; at++)
      call.voice(1, at % 2 === 0 ? SOFT : SOFT * decibels(-10));
    expect(allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, SOFT * decibels(-5)))).toEqual([true]);
    expect(allOf(call.silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, SOFT * decibels(-20)))).toEqual([false]);
  });
});

describe('a soft answer of the user', () => {
  const answering = (db: number, frames: number) => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(frames, softerBy(db));
    return call;
  };

  it('is up to 12 dB softer than their mean after the agent has spoken', () => {
    expect(answering(11.5, STRETCH_FRAMES_MIN).level.isSoftAnswer(false)).toBe(true);
    expect(answering(12.5, STRETCH_FRAMES_MIN).level.isSoftAnswer(false)).toBe(false);
  });

  it('is judged after 0.8 s, or with its end', () => {
    expect(answering(11, STRETCH_FRAMES_MIN - 1).level.isSoftAnswer(false)).toBe(false);
    expect(answering(11, STRETCH_FRAMES_MIN).level.isSoftAnswer(false)).toBe(true);
    expect(answering(11, MEAN_FRAMES - 1).level.isSoftAnswer(true)).toBe(false);
    expect(answering(11, MEAN_FRAMES).level.isSoftAnswer(true)).toBe(true);
  });

  it('is up to 9.5 dB softer without a word of the agent before it', () => {
    const soft = (db: number) => {
      const call = learnt();
      call.voice(STRETCH_FRAMES_MIN, softerBy(db));
      return call.level.isSoftAnswer(false);
    };
    expect(soft(9)).toBe(true);
    expect(soft(10)).toBe(false);
  });

  it('never comes while the agent is heard', () => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES);
    call.voice(STRETCH_FRAMES_MIN, softerBy(9));
    expect(call.level.isSoftAnswer(false)).toBe(false);
  });

  it('does not follow soft voice of a second under the agent: that is a television', () => {
    const afterVoiceUnderAgent = (frames: number) => {
      const call = learnt()
        .agent(true)
        .silence(2 * UNHEARD_FRAMES);
      call.voice(frames, softerBy(20));
      call.agent(false).silence(UNHEARD_FRAMES);
      call.voice(STRETCH_FRAMES_MIN, softerBy(11));
      return call.level.isSoftAnswer(false);
    };
    expect(afterVoiceUnderAgent(TELEVISION_FRAMES_MIN - 1)).toBe(true);
    expect(afterVoiceUnderAgent(TELEVISION_FRAMES_MIN)).toBe(false);
  });

  it('follows the agent who spoke when the level became known', () => {
    const call = new Frames().agent(true).speech(2 * LEARNT_FRAMES);
    call.agent(false).silence(UNHEARD_FRAMES);
    call.agent(true).silence(1).agent(false).silence(UNHEARD_FRAMES);
    call.voice(STRETCH_FRAMES_MIN, softerBy(11));
    expect(call.level.isSoftAnswer(false)).toBe(true);
  });

  it('does not follow a loud stretch of the user', () => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(2 * MEAN_FRAMES, LOUD_POWER);
    call.silence(UNHEARD_FRAMES);
    call.voice(STRETCH_FRAMES_MIN, softerBy(11));
    expect(call.level.isSoftAnswer(false)).toBe(false);
  });
});

describe('a user who has moved away from the phone', () => {
  /** The agent asks, a soft voice of this length answers, and the agent asks again. */
  const askedAgain = (answerFrames: number, underAgentFrames: number, secondFrames = STRETCH_FRAMES_MIN) => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(2 * UNHEARD_FRAMES);
    call
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(answerFrames, softerBy(18));
    call
      .silence(UNHEARD_FRAMES)
      .agent(true)
      .silence(2 * UNHEARD_FRAMES);
    call.voice(underAgentFrames, softerBy(18));
    call.agent(false).silence(UNHEARD_FRAMES);
    call.voice(secondFrames, softerBy(18));
    return call;
  };

  it('is heard in the second answer, however soft', () => {
    expect(askedAgain(SOFT_TURN_FRAMES_MIN, 0).level.isSoftAnswer(false)).toBe(true);
  });

  it('has answered before; a short noise is no answer', () => {
    expect(askedAgain(SOFT_TURN_FRAMES_MIN - 1, 0).level.isSoftAnswer(false)).toBe(false);
  });

  it('listens to the agent; a voice that does not is another’s', () => {
    expect(askedAgain(SOFT_TURN_FRAMES_MIN, LISTENING_FRAMES_MAX).level.isSoftAnswer(false)).toBe(true);
    expect(askedAgain(SOFT_TURN_FRAMES_MIN, LISTENING_FRAMES_MAX + 1).level.isSoftAnswer(false)).toBe(false);
  });

  it('has not, if the user answers loudly before the soft voice', () => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(MEAN_FRAMES, LOUD_POWER);
    call.silence(UNHEARD_FRAMES).voice(2 * SOFT_TURN_FRAMES_MIN, softerBy(18));
    call
      .silence(UNHEARD_FRAMES)
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(STRETCH_FRAMES_MIN, softerBy(18));
    expect(call.level.isSoftAnswer(false)).toBe(false);
  });

  it('speaks to the end of the answer', () => {
    expect(askedAgain(SOFT_TURN_FRAMES_MIN, 0).level.isTailOfUser()).toBe(true);
    expect(askedAgain(SOFT_TURN_FRAMES_MIN, 0, STRETCH_FRAMES_MIN - 1).level.isTailOfUser()).toBe(false);
  });

  it('is the user from a word on', () => {
    const word = (frames: number) =>
      allOf(askedAgain(SOFT_TURN_FRAMES_MIN, 0, frames).silence(UNHEARD_FRAMES).voice(MEAN_FRAMES, softerBy(18)));
    expect(word(MEAN_FRAMES)).toEqual([true]);
    expect(word(MEAN_FRAMES - 1)).toEqual([false]);
  });

  it('is the user from then on', () => {
    const call = askedAgain(SOFT_TURN_FRAMES_MIN, 0).silence(UNHEARD_FRAMES);
    expect(allOf(call.voice(MEAN_FRAMES, softerBy(18)))).toEqual([true]);
  });
});

describe('the soft end of a sentence', () => {
  const tail = (loudFrames: number, tailFrames: number, db: number) => {
    const call = learnt();
    call.voice(loudFrames, LOUD_POWER);
    call.voice(tailFrames, softerBy(db));
    return call;
  };

  it('is the user’s up to 12 dB below their mean, while the agent is silent', () => {
    expect(tail(2 * MEAN_FRAMES, 4 * MEAN_FRAMES, 11.5).level.isTailOfUser()).toBe(true);
    expect(tail(2 * MEAN_FRAMES, 4 * MEAN_FRAMES, 14).level.isTailOfUser()).toBe(false);
    const call = tail(2 * MEAN_FRAMES, 4 * MEAN_FRAMES, 11.5).agent(true);
    call.voice(1, softerBy(11.5));
    expect(call.level.isTailOfUser()).toBe(false);
  });

  it('is judged by the mean of its frames', () => {
    const ofMean = (db: number) => {
      const call = tail(2 * MEAN_FRAMES, 0, 0);
      // Softer by 20 dB at first, so that the mean of the last frames is soft at once.
      call.voice(MEAN_FRAMES, softerBy(20));
      for (let at = 0; at < 50; at++) call.voice(1, (softerBy(db) * (at % 2 === 0 ? 1 : 3)) / 2);
      return call.level.isTailOfUser();
    };
    expect([ofMean(11), ofMean(13.5)]).toEqual([true, false]);
  });

  it('leaves a soft answer what it is', () => {
    const call = learnt()
      .agent(true)
      .silence(2 * UNHEARD_FRAMES)
      .agent(false)
      .silence(UNHEARD_FRAMES);
    call.voice(STRETCH_FRAMES_MIN, softerBy(11));
    call.level.beginStretchWithTail();
    expect(call.level.isSoftAnswer(false)).toBe(true);
  });

  it('begins another stretch if it is not', () => {
    const call = tail(8 * MEAN_FRAMES, STRETCH_FRAMES_MIN, 11);
    call.level.beginStretchWithTail();
    expect(call.level.isSoftAnswer(true)).toBe(false);
    const louder = tail(8 * MEAN_FRAMES, STRETCH_FRAMES_MIN, 9);
    louder.level.beginStretchWithTail();
    expect(louder.level.isSoftAnswer(true)).toBe(true);
  });
});
