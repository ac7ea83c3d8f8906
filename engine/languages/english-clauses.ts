import type { ClauseWords } from './clause-words.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const ENGLISH_CLAUSES: ClauseWords = {
  open: wordSet(`
    and or nor but because cause although unless until till whereas whose whether than the a an my your our their of
    from via versus regarding concerning i'm i'd i'll i've we're we'd we'll we've they're they'd they'll they've
    you're you'd you'll you've he's she's he'd she'd he'll she'll there's let's it's that's what's where's who's
    how's when's gonna wanna gotta into onto toward towards during per between among despite every each um uh er erm
    uhm umm uhh ehm mr mrs ms dr`),
  mostlyOpen: wordSet(`
    is are was were am  to for with without at if as i he we trying going looking calling wondering called named`),
  openUnmarked: wordSet(`
    by in on about when since while that's which whom some any his her its these those this she they do does did can
    could will would should shall may might must have has had isn't aren't wasn't don't doesn't didn't can't
    couldn't won't wouldn't haven't hasn't so then very eh hmm like near under against around after except plus
    maybe also just another other next last between`),
  openEndings: phraseSet(`
    i'd like to, i would like to, i want to, i need to, i have to, i was going to, i'm trying to, able to,
    supposed to, would like, i'd like, i would like, i don't think, we don't think, i didn't think, i think that, think that, know that, said that, says that,
    told me that, told that, so that, sure that, means that, the fact that, is that, now that, given that, hope
    that, kind of, sort of, because of, instead of, out of, a lot of, a couple of, a bit of, one of, some of,
    all of, part of, as well as, due to, according to, in order to, such as, as soon as, as long as, even if,
    even though, only if, the one that, something that, tell me if, tell me when, tell me how, know if, see if,
    check if, check whether, my name is, name is, the name is, my problem is, the problem is, the thing is, the
    question is, question is, can you tell me, could you tell me, can you give me, could you give me, can you
    please, could you please, would you please, can i please, could i please, i was wondering if, i wonder if,
    do you know if, do you know, do you have, have you got, is there, are there, there is, there are, would it
    be, is it possible to, what about, how about, what kind of, what time is, how much is, how long is, how
    many, i'm calling about, i'm calling because, i'm calling to, i have a, and it, but it, because it, that it,
    if it, when it, and you, but you, because you, if you, when you, ask what time, ask which, ask how, i was
    thinking, how do i, where do i, what do i, who do i, when do i, let me, just let me, the number is, for the,
    going to be, should be, have to be, must be, is it, was it, will it, can it, does it, would it, could it,
    should it, to the, in the, at the, on the, it was the, and then, and also, but then, i just, know how much,
    know how many, know how long, tell me how much, with doctor, with doctor, speak to doctor, asked me to, i
    meant to say, i'm supposed, is doctor, it's doctor, i'm trying, i try to, have any, get any, find any, need
    any, got any, know any, half past, and another thing, oh another thing,
    one more thing, is just that, it's just that, a new, a different`),
  reportEndings: phraseSet(`
    told me, told us, they said, he said, she said, asked me, i mean, i meant`),
  closedEndings: phraseSet(`
    log in, logged in, logging in, sign in, come in, check in, get in, fill in, move in, break in, go on, hold
    on, hang on, carry on, going on, moving on, from now on, and so on, later on, early on, i think so, think
    so, hope so, guess so, or so, do so, so am i, so do i, yes i am, yes i do, yes i can, yes i will, yes i
    have, yes i did, yes it is, yes they are, yes we are, yes we do, yes there is, no i'm not, no i don't, no i
    can't, no i haven't, no it isn't, no it's not, yes i would, yes i was, no i didn't, i know i do, as is,
    right then, ok then, okay then, see you then, until then, by then, that's what it is, what is it, who is it,
    when is it, where is it, what time is it, how much is it, how long is it, what was it, how far is it, how
    are you, here you are, there you are, what do you do, whenever i can, as soon as i can, if i can, if you
    can, if you could, if you would, whatever it is, that it is, how it is, i know that, know of, heard of,
    think of, aware of, don't have any, haven't got any, didn't get any, don't need any, don't know any, dealt
    with, looked at, looked after, looked into, taken care of, paid for, signed for, gone through, put up with, will
    it take, does it take, would it take, will that take, does that take`),
  objectVerbs: wordSet(`
    need want get make take give tell buy book order bring send find show put reserve schedule arrange receive needs
    wants bought booked ordered got gave brought sent found reserved received having making getting taking giving
    change buying ordering requesting request add replace enter confirm update provide discuss describe explain
    offer prefer require include contains contain mean means`),
  verbFinal: false,
  particles: wordSet('in on off'),
  particleVerbs: wordSet(`
    turn turned switch switched log logged sign hold hang plug plugged fill carry turning turns switching switches
    logging signed signing plugging hung hanging filled filling`),
  questionWords: wordSet('what who why how where when which whose whom'),
  auxiliaries: wordSet(`
    am is are was were do does did can could will would should shall may might must have has had don't doesn't
    didn't can't couldn't won't wouldn't isn't aren't haven't`),
  pronouns: wordSet('i you he she  we they '),
  clauseOpeners: phraseSet(`
    if, when, whenever, unless, although, though, in case, even if, even though, as soon as, as long as, provided
    that, given that, now that, assuming, supposing, once i, once you, once we, once it, once the, once my, before
    i, before you, before we, before it, before they, after i, after you, after we, after they, until i, until you,
    until we, while i, while you, while we, while my, since i, since we, since you`),
  mainClauseStarts: phraseSet(`
    please, then, i, i'd, i'll, i'm, i've, we, we'd, we'll, you, you'll, you'd, they, they'll, it, it's, it'll, he,
    she, that would, that's, that'll, there's, there is, what, where, who, how, let me, let's, just, call me, send,
    tell, give, everything, nothing`),
  leadWords: wordSet(`
    yes yeah yep no nope ok okay well so and but also oh ah hello hi hey right sure alright now um uh er hmm please
    sorry actually then good morning afternoon evening great fine because or like only`),
  closings: phraseSet(`
    please, thank you, thanks, thank you very much, thanks a lot, that's all, that's it, that is all, if you don't
    mind, bye, goodbye, if that's ok, if that's okay, if that's possible, if you like`),
  phrases: {
    determiners: wordSet('the a an my our your their'),
    pronounArticles: wordSet('this that these those it his her'),
    objectQuestions: wordSet('what which who whom'),
    conjunctions: wordSet('that because whether if since although'),
    relatives: wordSet('who that which whose whom where'),
    firstPersons: wordSet('i'),
    degrees: wordSet('very really quite pretty rather fairly extremely so too'),
    adjectiveFirst: true,
    stranded: wordSet('to for with at from of about on in by like after into'),
    prepositions: wordSet(`
    from of in on at for with about to by since near behind under over after before during until without against
    into through between off`),
    adverbs: wordSet(`
    yesterday today tomorrow tonight now basically actually unfortunately apparently usually normally suddenly
    currently recently lately obviously honestly again then`),
    softeners: wordSet(`
    also maybe perhaps possibly just still even actually only rather sooner really already probably definitely
    unfortunately never`),
    participleEndings: ['ed', 'told', 'ought'],
    adjectives: wordSet(`
    last next first second third new old whole other same big small little wrong right two three four`),
    timeNouns: wordSet(`
    monday tuesday wednesday thursday friday saturday sunday week month year day morning evening afternoon night
    weekend moment time weeks months years days hours minutes hour minute ago`),
    articles: wordSet('this that these those his her its'),
    indefinites: wordSet('a an'),
    verbEndings: ['s', 'ed'],
    nounEndings: [
      'tion',
      'sion',
      'ment',
      'ness',
      'ity',
      'ance',
      'ence',
      'ship',
      'er',
      'or',
      'phone',
      'bill',
      'card',
      'box',
      'code',
    ],
    pronominal: wordSet('one ones same way not all too me him them us it please thanks there here'),
    residenceVerbs: wordSet('live lives living lived moved'),
    subjectDeterminers: wordSet('the my our your their his her'),
    modals: wordSet(''),
    objectModals: wordSet(''),
    wishModals: wordSet(''),
    objectPronouns: wordSet(''),
    titles: wordSet(''),
    wishVerbs: wordSet('want wanted need needed like prefer love meant ordered'),
    lightVerbs: wordSet(''),
    helpWords: wordSet('help happened happening'),
  },
  spoken: {
    hesitations: phraseSet(`
    well, so, look, listen, see, i mean, you know, basically, actually, you see, okay so, ok so, like, anyway,
    right so, the thing is, the problem is, the point is, it's like, well you know, let me think, let me see`),
    pastWords: wordSet('yesterday last ago'),
    holds: phraseSet(`
    wait, wait a minute, wait a second, wait a moment, hold on, hang on, one moment, just a moment, one second,
    just a second, a second, a moment, just a sec, a sec, wait a sec, one sec, a minute, one minute, just a minute,
    bear with me, give me a second, give me a moment, give me a minute`),
    searches: phraseSet(`
    let me check, let me see, let me look, let me think, let me have a look, let me get my, let me grab my, let me
    find, i'll check, i'll look, i'll have a look, i'll get my, i'll grab my, i have to look, i have to check, i
    need to look, i need to check, i'd have to look, i'd have to check, i'll have to look, i'll have to check`),
    retractions: phraseSet(`
    no, sorry, actually, i mean, rather, scratch that, not that, oh no, my mistake, that's wrong, nope`),
    speakers: wordSet('i we'),
    negations: wordSet(`
    not don't doesn't didn't no idea can't won't wouldn't couldn't isn't wasn't never no-one nothing none
    neither`),
    indefinitePersons: wordSet(`
    someone somebody anyone anybody everyone everybody nobody no-one something anything nothing`),
    negativeObjects: wordSet(''),
    elidedObjects: wordSet(''),
    perfectAuxiliaries: wordSet(''),
    perfectCopulas: wordSet(''),
    firstPersonAuxiliaries: wordSet(''),
    conditionalEndings: [],
    firstPersonEndings: [],
    quoteVerbs: phraseSet('says, reads, say, it says, said'),
    displayVerbs: phraseSet('is written, written'),
    speechParticiples: phraseSet('saying, asking, telling, stating, claiming'),
    progressives: wordSet('keep keeps kept'),
    wishes: phraseSet('rather'),
    impersonals: wordSet('it there here'),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    phone number, telephone number, mobile number, cell number, cell phone number, callback number, contact number,
    mobile, telephone, my number, your number, the number, best number, landline, area code, phone, cell`),
      email: phraseSet('email, e-mail, email address, e-mail address, mail address'),
      spelling: phraseSet('spell, spelling, spell that, spell it, spelled'),
      birth_date: phraseSet('date of birth, birth date, birthdate, birthday, born, dob'),
      date: phraseSet('date, what day, which day'),
      postcode: phraseSet('postcode, post code, postal code, zip, zip code'),
      reference: phraseSet(`
    order number, customer number, account number, reference number, reference, booking number, booking code,
    confirmation number, confirmation code, invoice number, policy number, contract number, card number, credit
    card, tracking number, serial number, case number, ticket number, member number, membership number, iban, pin,
    passcode, code, meter reading, licence plate, license plate, vin, social security number, extension`),
      address: phraseSet('address, street'),
    },
    copulas: wordSet("is it's its was are would that's ends starts begins reads"),
    leadIns: {
      phone: phraseSet(`
    reach me at, reach me on, reach me under, call me at, call me on, call me back on, call me back at, ring me on,
    text me at, contact me on, contact me at, my number's, number's, the number's, phone's, mobile's`),
      email: phraseSet('email me at, write to me at, send it to, e-mail me at, my email, my e-mail'),
      spelling: phraseSet(`
    that's spelled, it's spelled, spelled, spelt, that's spelt, it's spelt, i'll spell it, i'll spell that, let me
    spell it, let me spell that, spelling is`),
    },
    statements: wordSet(`
    not no wrong the same different correct right still already on in my broken full blocked working gone always
    never too very busy also missing incorrect old new changed invalid unknown private there here what where hacked dead down
    lost stolen locked`),
    confirmations: wordSet("is are was were do does did isn't has have"),
    months: wordSet(`
    january february march april may june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec`),
    ordinals: wordSet(`
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth thirtieth`),
    tens: wordSet('twenty thirty forty fifty sixty seventy eighty ninety'),
    phoneDigits: { least: 10, most: 11, mostOther: 10 },
    postcodeDigits: 5,
    postcodeDigitsLeast: 5,
    postcodeLetters: 0,
  },
};
