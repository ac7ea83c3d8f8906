import type { LanguagePack } from './language-pack.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const ENGLISH: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, mm-hm, mm hmm, mmhmm, mmhm, mm, mmm, hm, hmm, uh-huh, uh huh, huh, ok, okay, okey-dokey, alright,
    all right, right, yeah, yea, yep, yup, yes, sure, sure thing, of course, certainly, i see, i know, i understand,
    understood, gotcha, got it, got you, makes sense, that makes sense, fair enough, good, great, fine, that's fine,
    cool, nice, perfect, excellent, lovely, wonderful, brilliant, exactly, absolutely, definitely, indeed, true,
    that's true, that's right, that's correct, correct, sounds good, really, interesting, wow, oh, ah, aha, go on,
    go ahead, no problem, no worries`),
  stopPhrases: phraseSet(`
    stop, wait, hold on, hang on, hold it, hold up, one moment, one second, just a moment, just a second,
    just a minute, a moment please, no, nope, sorry, excuse me, pardon, pardon me, actually, never mind, nevermind,
    forget it, enough, be quiet, shut up, let me speak, let me finish, can i speak, listen`),
  farewells: phraseSet(`
    no thanks, no thank you, no that's all, no that's it, bye, bye-bye, goodbye, good bye, thanks, thank you,
    thank you very much, thank you so much, thanks a lot, thanks so much, thanks very much, many thanks, cheers, ciao,
    see you, see you then, see you soon, see you later, see you there, see ya, take care, you too, you as well,
    same to you, likewise, good day, good night, good evening, have a good day, have a nice day, have a great day,
    have a good one, have a good evening, have a nice evening, have a great evening, have a good night,
    have a good weekend, have a nice weekend, have a lovely day, all the best, that's all, that is all, that's it,
    so long, talk soon, talk to you soon, until then, my pleasure, you're welcome`),
  continuationWords: wordSet(`
    is and or nor but because cause since although if unless until till whereas that which whose whether than as the a
    an my your his our their its to of for with without at from by into onto between during per via versus regarding i
    i'm i'd i'll i've we we're we'd we'll we've it's he's she's they're there's let's um uh er erm uhm umm uhh hmm eh`),
  dictation: {
    digits: wordSet('zero oh nought naught one two three four five six seven eight nine double triple'),
    numbers: wordSet(`
      ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
      seventy eighty ninety hundred thousand`),
    numberLinks: wordSet('and'),
    ambiguous: wordSet('a i o oh at'),
    alphabet: wordSet(`
      alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa
      quebec romeo sierra tango uniform victor whiskey whisky x-ray xray yankee zulu zed zee`),
    letterLinks: phraseSet('as in, for, like, like in'),
    atSign: wordSet('at'),
    marks: wordSet('dot underscore dash hyphen slash backslash plus hash'),
    streets: wordSet(`
      street st road rd avenue ave lane drive boulevard court square terrace crescent close gardens highway parkway
      apartment flat suite postcode zip`),
    streetEndings: [],
    streetNameFollows: false,
  },
  abbreviations: wordSet(`
    mr mrs ms dr prof st ave rd vs no nr approx dept est ext inc ltd jr sr e.g i.e a.m p.m u.s u.k`),
  ordinalStop: false,
  apology: 'I am sorry, something went wrong on our side. Please call again a little later. Goodbye.',
  emptyResponseApology: 'I am sorry, I have lost the thread. Could you say that again, please?',
  toolFiller: 'One moment please, I am still on it.',
  thinkingFiller: 'One moment, please.',
  answeringMachine: {
    recording: [
      'after|at the tone|beep|signal',
      'record your message',
      'leave … message after',
      'start recording',
      'stop recording',
      'end of the recording',
    ],
    absence: [
      'leave … message',
      'leave … name … number',
      'voicemail',
      'voice mail',
      'mailbox',
      'answering machine',
      "can't|cannot come to the phone",
      "can't|cannot take your call",
      "can't|cannot get to the phone",
      'unable to take your call',
      'unable to answer',
      'not available … take your call',
      'missed your call',
    ],
    menu: [
      'press … one|two|three|four|five|six|seven|eight|nine|zero|star|pound|hash|1|2|3|4|5|6|7|8|9|0',
      'press any key',
      'menu options',
      'main menu',
      'following options',
      'options have changed',
      'say or press',
      'dial … extension',
      'enter your … number',
    ],
    screening: [
      'state|say|record|give your name',
      'reason for your call|calling',
      "reason you're|you calling",
      "why you're calling",
      'why you are calling',
      'screening',
      'see if … available',
      'who you are and why',
    ],
    announcement: [
      'not in service',
      'no longer in service',
      'been disconnected',
      'cannot be completed',
      'cannot be reached',
      'not reachable',
      'not be reached',
      'number you have dialled|dialed|called',
      'you are calling is not',
      'you called is not',
      'switched off',
      'not been recognised|recognized',
    ],
    pleaseWait: [
      'please hold',
      'hold the line',
      'stay on the line',
      'one moment please',
      'please wait',
      'connecting you',
      'connect you',
      'connect your call',
      'transferring you',
      'try to reach',
      'trying to reach',
    ],
  },
};
