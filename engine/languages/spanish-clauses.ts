import type { ClauseWords } from './clause-words.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const SPANISH_CLAUSES: ClauseWords = {
  open: wordSet(`
    y e o u ni pero porque pues que aunque sino el la los las un una unos unas mi mis tu tus su sus nuestro nuestra
    nuestros nuestras este esta estos estas ese esa aquel aquella cada cualquier algún ningún del al de a ante con
    sin contra desde en entre hacia hasta para por según sobre tras durante mediante excepto muy tan eh ehh em emm
    mmm esteee don doña señor señora`),
  mostlyOpen: wordSet('es son era está están estoy soy fue si yo me se le les nos te llamo llama'),
  openUnmarked: wordSet(`
    sea estaba cuando como donde mientras entonces lo él ella ellos he ha hemos han había tengo tiene tenemos
    puedo puede podemos podría quiero quiere queremos quisiera querría necesito necesita debo debe voy va vamos
    hay qué quién cuál cómo dónde cuándo cuánto cuánta puedes pueden podía podían podrías podríamos podrían
    quieres quieren quería querían querrían quisiéramos quisieran debes debemos deben debía debería deberían
    tienes tienen tenía tenían suelo suele vas van iba iban habían pudiera pudieran hubiera hubiese
    tuviera`),
  openEndings: phraseSet(`
    me gustaría, nos gustaría, quisiera, quería, quiero que, me puede, me podría, puede decirme, podría decirme,
    me puede decir, me podría decir, necesito que, tengo que, tengo un, tengo una, hay que, hay un, lo que, la
    que, el que, los que, es que, es decir, o sea, ya que, para que, a ver si, ver si, saber si, saber cuándo,
    saber cuánto, me llamo, mi nombre es, mi problema es, el problema es, la cosa es, la pregunta es, llamo por,
    llamo para, llamo porque, estoy llamando, estoy buscando, estaba buscando, quería saber, quería preguntar,
    quisiera saber, querría saber, se trata de, además de, antes de, después de, cerca de, a partir de, un poco
    de, una de, uno de, podría darme, puede darme, me da, me das, sería posible, es posible, tendría, tienen,
    tiene usted, yo creo, creo que, pienso que, a la, por la, estaba pensando, me preguntaba, hay algún, hay
    alguna, tiene algún, tiene alguna, tienen alguna, tienen algún, y no, pero no, estoy intentando, estoy
    tratando, intento, trato de, podría, querría, soy el doctor, soy la doctora, que fuera, que fuese, que sea,
    que esté, que haya, que pueda, que puedan, que tenga, y otra cosa, una cosa más, en cuanto, tan pronto como, un
    nuevo, y todavía no, pero todavía no`),
  reportEndings: phraseSet(`
    quería decir, quiero decir, me dijo, me dijeron, me ha dicho, me han dicho, me había dicho, me dijiste`),
  closedEndings: phraseSet(`
    creo que sí, creo que no, no lo sé, ya lo sé, así es, eso es, lo es, cómo es, dónde está, cómo está, qué es,
    qué hay, quién es, no está, ya está, así está, bien está, está bien, sí está, sí quiero, sí puedo, sí tengo,
    no puedo, no quiero, no tengo, no hay, no lo tengo, ya lo tengo, sí lo tengo, sí hay, por qué, cuándo es,
    cuánto es, a ver cómo, sí soy yo, soy yo, yo también, como yo, hágalo, hacerlo, o no, a usted, sí claro, eso
    sí, ahora sí, claro que sí, con él, con ella, para él, para ella, no es, no puede, cuando puedo, si puede,
    si se puede, cuando se puede, cuando pueda, dónde están, cómo están, quiénes son, cuáles son, cuánto son,
    cómo son, dónde estás, cómo estás, en punto, no va, no van, lo que sea, lo que fuera, como sea, cuando sea,
    lo que pueda, lo que haya, lo que tenga, cuanto antes sea, me da igual, nos da igual`),
  objectVerbs: wordSet(`
    necesito quiero quisiera busco reservar comprar pedir cambiar hacer tener tengo dar poner enviar mandar recibir
    reservo compro encontrar traer llevar solicitar confirmar añadir necesitamos queremos buscamos quisiéramos`),
  verbFinal: false,
  particles: wordSet(''),
  particleVerbs: wordSet(''),
  questionWords: wordSet('qué quién quiénes cuál cuáles cómo dónde cuándo cuánto cuánta cuántos cuántas'),
  auxiliaries: wordSet(`
    puede podría puedo puedes es está tiene quiere debo debe he ha había voy va tengo quiero podemos pueden
    podía podían podrías podríamos podrían quieres queremos quieren quería querían querría querrían quisiera
    quisiéramos quisieran debes debemos deben debía debería deberían tienes tenemos tienen tenía tenían suelo
    suele vas vamos van iba iban habían han hemos pudiera pudieran hubiera hubiese tuviera`),
  pronouns: wordSet('yo usted ustedes él ella nosotros tú'),
  clauseOpeners: phraseSet(`
    si, cuando, aunque, mientras, en caso de que, en cuanto, tan pronto como, antes de que, después de que, a menos
    que, siempre que, una vez que, apenas`),
  mainClauseStarts: phraseSet(`
    quiero, quisiera, puedo, puede, podría, podrían, me gustaría, por favor, entonces, tengo que, necesito, hay que,
    tendría que, debo, prefiero, voy a, vamos a, sería, me llama, llámeme, avíseme, dígame, qué, cómo, dónde,
    cuándo, cuánto, le llamo, lo llamo, me avisa, no puedo, pago, voy, iré, es mejor, mejor, está bien, me dice, me
    da`),
  leadWords: wordSet(`
    sí no bueno vale claro pues y pero oh ah hola buenos días buenas tardes noches oiga mire perdón ahora entonces
    eh por favor exacto gracias porque o es que solo`),
  closings: phraseSet(`
    por favor, gracias, muchas gracias, si es posible, si es tan amable, nada más, eso es todo, adiós, hasta luego,
    si puede ser, si no le importa`),
  phrases: {
    determiners: wordSet('el un una unos unas mi mis su sus nuestro nuestra'),
    pronounArticles: wordSet('la los las lo este esta'),
    objectQuestions: wordSet('qué cuál cuáles quién'),
    conjunctions: wordSet('que porque si'),
    relatives: wordSet('que quien quienes cual'),
    firstPersons: wordSet('yo'),
    degrees: wordSet('muy tan bastante'),
    adjectiveFirst: false,
    stranded: wordSet(''),
    prepositions: wordSet('de del en con por para a al desde sin sobre hasta entre según hacia tras'),
    adverbs: wordSet(`
    ayer hoy mañana anteayer ahora normalmente básicamente siempre últimamente anoche luego desgraciadamente`),
    softeners: wordSet(`
    también quizás quizá todavía solo igual solamente ya mejor realmente desgraciadamente
    lamentablemente`),
    participleEndings: [],
    adjectives: wordSet(`
    pasado pasada pasados próximo próxima nuevo nueva viejo vieja primer primera segundo segunda último última otro
    otra mismo misma dos tres`),
    timeNouns: wordSet(`
    lunes martes miércoles jueves viernes sábado domingo semana mes año día mañana tarde noche fin momento vez
    semanas meses años días horas hora minutos minuto`),
    articles: wordSet('la los las este esta estos estas ese esa'),
    indefinites: wordSet('un una unos unas'),
    verbEndings: ['o', 'é', 'ó', 'í', 'amos', 'emos'],
    nounEndings: [],
    pronominal: wordSet('mismo no nada todo aquí ahí favor mejor bien más'),
    residenceVerbs: wordSet('vivo vive vivimos resido reside domiciliado'),
    subjectDeterminers: wordSet(''),
    modals: wordSet(''),
    objectModals: wordSet(''),
    wishModals: wordSet(''),
    objectPronouns: wordSet(`
    me te se le les nos lo la los las`),
    titles: wordSet('señor señora'),
    wishVerbs: wordSet('quiero quería necesito busco prefiero gusta'),
    lightVerbs: wordSet(''),
    helpWords: wordSet('ayudar ayudarle ayudarte servir pasado pasó ocurrido ocurrió sucedido'),
  },
  spoken: {
    hesitations: phraseSet(`
    bueno, pues, o sea, es que, a ver, mire, mira, verá, oiga, en realidad, digamos, quiero decir, la verdad,
    resulta que, pues mire, pues nada, bueno pues, este, el problema es, la cosa es`),
    pastWords: wordSet('ayer anteayer anoche pasado pasada'),
    holds: phraseSet(`
    espere, espera, un momento, un segundo, un momentito, momentito, un minuto, perdone un momento, aguarde, un
    segundito, un minutito`),
    searches: phraseSet(`
    déjeme, déjame, deje que, voy a mirar, voy a mirarlo, voy a buscar, voy a buscarlo, voy a ver, voy a comprobar,
    voy a comprobarlo, lo miro, ahora miro, que miro, que lo miro, que busco, que lo busco, tengo que mirar, tengo
    que mirarlo, tengo que buscarlo`),
    retractions: phraseSet(`
    no, perdón, perdone, disculpe, mejor dicho, quiero decir, digo, en realidad, me equivoqué, lo siento,
    mentira`),
    speakers: wordSet('yo nosotros'),
    negations: wordSet(`
    no nunca ni tampoco nadie nada`),
    indefinitePersons: wordSet('alguien nadie'),
    negativeObjects: wordSet('nada'),
    elidedObjects: wordSet(''),
    perfectAuxiliaries: wordSet('he ha has hemos han había habían'),
    perfectCopulas: wordSet(''),
    firstPersonAuxiliaries: wordSet('he hemos'),
    conditionalEndings: ['ría', 'rías', 'ríamos', 'rían', 'ríais'],
    firstPersonEndings: ['é', 'í'],
    quoteVerbs: phraseSet('dice, pone, indica'),
    displayVerbs: phraseSet('aparece, sale, está escrito, viene escrito'),
    speechParticiples: phraseSet('diciendo, preguntando, pidiendo, explicando, indicando'),
    progressives: wordSet('estoy estás está estamos están estaba estaban sigo'),
    wishes: phraseSet('preferiría, preferiríamos, quisiera, quisiéramos'),
    impersonals: wordSet(`
    aquí ahí me eso esto ello`),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    número de teléfono, teléfono, número de móvil, móvil, celular, número de celular, número, número de contacto,
    prefijo`),
      email: phraseSet('correo, correo electrónico, email, e-mail, mail, dirección de correo'),
      spelling: phraseSet('deletrear, deletrea, deletrearlo, deletreármelo, se escribe, deletrearme'),
      birth_date: phraseSet('fecha de nacimiento, cumpleaños, nací, nació, nacido, nacida'),
      date: phraseSet('fecha, qué día'),
      postcode: phraseSet('código postal'),
      reference: phraseSet(`
    número de cliente, número de pedido, número de cuenta, número de referencia, referencia, número de reserva,
    código de reserva, localizador, número de factura, número de contrato, número de póliza, número de tarjeta,
    tarjeta, iban, dni, nie, número de seguimiento, número de serie, código, matrícula, pin, número de socio, número
    de expediente, expediente, pasaporte, número de identificación, cédula, cup, cups, lectura`),
      address: phraseSet('dirección, domicilio, calle'),
    },
    copulas: wordSet('es el la sería son era termina empieza acaba'),
    leadIns: {
      phone: phraseSet(`
    me puede llamar al, puede llamarme al, llamarme al, llámeme al, llamar al, localizarme en el, me encuentra en
    el, al número, en el número`),
      email: phraseSet('mi correo, mi email, mi mail, escribirme a, mándelo a, envíelo a, enviarlo a'),
      spelling: phraseSet('se escribe, lo deletreo, se lo deletreo, te lo deletreo, se deletrea, deletreo'),
    },
    statements: wordSet(`
    no mal mismo misma correcto correcta incorrecto incorrecta ya todavía aún en diferente distinto lleno siempre
    nunca muy también nuevo nueva antiguo falso falsa está esa ese este aquí donde que hackeado hackeada bloqueado
    bloqueada roto rota muerto perdido perdida robado robada privado privada`),
    confirmations: wordSet('es son está están era fue tiene ha han'),
    months: wordSet(`
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre`),
    ordinals: wordSet('primero primer uno'),
    tens: wordSet('treinta cuarenta cincuenta sesenta setenta ochenta noventa'),
    phoneDigits: { least: 9, most: 9, mostOther: 9 },
    postcodeDigits: 5,
    postcodeDigitsLeast: 5,
    postcodeLetters: 0,
  },
};
