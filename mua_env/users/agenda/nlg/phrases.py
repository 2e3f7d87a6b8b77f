"""What a user says for each dialogue act: templates, short ones for terse personas and longer ones for the others."""

from __future__ import annotations

from collections.abc import Mapping

from mua_env.users.agenda.nlg.personas import Voice

SHORT: Mapping[str, str] = {
    "greet": "[Hello|Hi|Hey|Good day][.|!|?|. Is anybody there?|. Anyone there?|. Is this the right chat?]",
    "open": "[[I want to|I need to|I'd like to|I have to|I've got to|I wish to|I'm trying to|I'm hoping to|"
    "Please help me|"
    "I'm here to] {wish}[.|!]|[Help me|I must|Want to|Need to|Have to|Trying to|Hoping to|Looking to|Time to|Please,] "
    "{wish}[.|!|, please.|, please!|, thanks.|, ok?|, thanks!|. Thanks.|. Please.|. Possible?|. Doable?]]",
    "next": "[Also, |Next, |Then |And |Now |]I [want to|need to|would like to|'d like to] {wish}[.|, please.]",
    "again": "I [want to|need to|would like to|still want to|'d like to] {wish}[.|, please.|. Can you do it?|. "
    "Please help.]",
    "wish": "I [want to|need to|would like to|'d like to|have to] {wish}[.|, please.|, if possible.|, if you can.]",
    "unknown": "I [don't know|do not know|don't have|do not have|don't remember] [the|my] {noun}[.|, sorry.]",
    "partial": "[It ends in|The {noun} ends in|The last part is|I only see that it ends in|The end is|It finishes "
    "with] {tail}[.|, that's what I have here.|, I think.|, as far as I see.]",
    "slip": "{wrong}[,| -|...] [sorry, I meant|I meant|oops, I mean|sorry, I mean|typo, I meant|I mean|sorry,] {value}",
    "confirm": "[Yes|Yes, please|Yes, go ahead|Yes, that is right|Yes, do it|Yes, I confirm|Yes, correct|Yes, "
    "that's correct"
    "|Yes, please do|Yes, please go ahead][.|, thanks.]",
    "correct": "[No|No, no|Sorry, no|No, sorry][.|, that is wrong.|, that is not right.|, not quite.|, that's not "
    "it.|, wrong.|, that's wrong.] {fix}",
    "only": "[Nothing with|Leave out|Please leave out|Don't touch|Not|Forget about] {wrong}[.|, please.|, that's not "
    "mine.|, I never said that.] I [only|just] [want to|need to] {wish}.",
    "change": "[Wait|Actually|Hold on|Sorry], [I changed my mind|I have changed my mind|something else|a change][.|"
    ":] {fix}",
    "not_me": "No[.|, I did not ask for that.|, not that.|, I don't want that.|, that's not it.|, that is not what I "
    "asked for.] I [want to|need to|would like to|'d like to] {wish}.",
    "why": "[Why|Why not|Why is that|What is the reason|Can you say why|How come|For what reason]?[| Please "
    "explain.| Tell me why.]",
    "accept": "[Okay|Ok|I see|Understood|All right|Alright|Fine|Got it|Too bad|That's a pity][.|, then not.|, I "
    "understand.]",
    "push": "[Are you sure|Really|Is that so|Are you certain|Can you check again]? I [want to|need to|would like to|"
    "'d like to|really need to] {wish}.",
    "fallback": "[Then|In that case|Okay, then|Ok, then|All right, then|Alright, then|Fine, then|Well, then|Instead|"
    "If not, then][,|] {fix}",
    "go_on": "[Okay|Ok|Sure|Yes|Alright|Fine|All right|Thanks][.|, go ahead.|, please do.|, please continue.]",
    "no_offer": "[No|No, thanks|No, thank you|No need|Not needed|No, that is not needed][.|, please go on.|, "
    "please continue.|, just what I asked for.]",
    "no_human": "[No|No, please|Please don't|I'd rather not], [you do it|do it here|please help me here]. I [want "
    "to|need to] {wish}.",
    "human": "[Okay|Yes|Sure|Fine|All right|Ok][.|, please transfer me.|, please do.|, transfer me.]",
    "unclear": "[Sorry, what?|I don't understand.|What do you mean?|I did not get that.|Please say that again.|"
    "Pardon?|Sorry?]"
    "[| I don't follow.| Can you repeat?]",
    "contradict": "[No|Wait|But], [that is wrong|that is not what I asked for|that is not right|that's wrong|not "
    "that][.|!] {fix}",
    "not_applicable": "[It is not about that.|I don't think you need that.|That has nothing to do with it.|That "
    "should not matter.|I doubt that it matters.]"
    " I [want to|need to|would like to|'d like to] {wish}.",
    "end": "[No|No, that is all|No, that's all|That is all|That's all|No, nothing else|Nothing else|No, thanks]"
    "[.|, thanks.|. Thanks.|. Bye.|. Thank you.]",
    "bye": "[Thanks|Thank you|Okay, thanks|Ok, bye|Bye|Goodbye|Great, thanks|Thanks, bye][.|!]"
    "[| That is all.| I am done.]",
    "failed": "[That did not work|It does not work|No luck|It failed][.|, sorry.] [It says|I get|I see]: {why}.",
    "not_seen": "[I have not seen that yet|I can't tell from here|I don't know whether it works|I haven't checked]."
    " [What should I do?|What do I do now?|How can I see that?|What should I check?|What now?]",
    "give_up": "[This is not working|This gets us nowhere|I give up|Never mind|Forget it|This is no use][.|, bye.|. "
    "Bye.|. Goodbye.]",
}

LONG: Mapping[str, str] = {
    "greet": "[Hello|Hi|Hey|Good day|Hello there][.|!][| I just wanted to check in.| I only wanted to see if this "
    "works.]",
    "open": "[Just so you know, |For context, |By the way, |To start with, |First of all, |Quick background: |Before "
    "anything else, |][I [have|only have|have got|still have] [a few|some|seven|ten|fifteen|a couple of|about twenty|"
    "roughly thirty] minutes [before|until] [lunch|dinner|work|school|my shift|a call|a meeting|bedtime|breakfast|my "
    "next appointment|the gym|a visit to my parents]|I [am|'m] [at home|at work|on the bus|on my phone|in a café|at my "
    "desk|in the kitchen|on the couch|in the garden|at my parents' place|in the library|at a friend's house] [right "
    "now|at the moment|today|this morning|this afternoon|tonight|as I write this|for once]|[my sister|my brother|my "
    "neighbor|a friend|my roommate|a coworker|my partner|my aunt] [told me|said|suggested|thought|was sure] [this "
    "chat|this desk|you folks|your team|somebody here] [could help|might help|would know what to do|could sort this "
    "out|would be quick]|I've [been|kept] [putting this off|meaning to write|thinking about this|carrying this around] "
    "[since|ever since] [Monday|Tuesday|the weekend|last week|yesterday|this morning|last month|Sunday]]. "
    "[I was hoping you could help me|I'd like some help to|I'm writing because I want to|I'm trying to|I would like to"
    "|I'd like to|Could you help me|I need your help to|Can you please help me|I need to|I am looking to] {wish}"
    "[.|, please.|, if possible.|, if that's alright.|. Is that something you can do?|. What do you need from me?]"
    "[| I'd be grateful.| It should be quick, I think.| I hope that's easy.| Just tell me how this works.| Let me know "
    "what comes first.| I'm ready when you are.| I've never done this before.| I'd like to get it done today.| That's "
    "why I'm here.]",
    "next": "[There is one more thing.|Also,|Next up,|Another thing:|While I have you,|One more thing:|And then|"
    "Besides that,"
    "|Okay, next:] I [would like to|want to|need to|'d also like to|'m hoping to] {wish}[.|, please.|, if I may.]",
    "again": "[As I said,|Like I mentioned,|To be clear,|Just to repeat,|So,] I [would like to|want to|need to|'d "
    "still like to"
    "|'m trying to] {wish}[.|, please.|. Could you help with that?]",
    "wish": "I [would like to|want to|need to|'d like to|'d rather] {wish}[.|, please.|, if possible.|, if that's "
    "okay.]",
    "unknown": "[I'm afraid|Sorry, but|Unfortunately,|Honestly,] I [don't know|don't have|can't remember|can't find|"
    "don't remember] "
    "[the|my] {noun}[.|, to be honest.| right now.| at the moment.]",
    "partial": "[I only have a bit of it here|I can only make out the end|I have just the end of it|Part of it is cut "
    "off here]: [it ends in|the {noun} ends in|the last part is|the end is] {tail}"
    "[.|, I believe.|, as far as I can see.]",
    "slip": "{wrong}[, |... | - ][sorry|oops|pardon|my mistake|oh][, I meant|, I mean|, that should be|, make that] "
    "{value}",
    "confirm": "[Yes, that [is|looks|sounds] [right|correct|good|fine]|Yes, please [proceed|go ahead|do that|do so]|"
    "Yes, [go ahead|"
    "I confirm|that works|exactly right]|Yes, that's [it|right|what I want|correct]][.|, thank you.|, thanks.|!]",
    "correct": "[No,|Hmm, no,|Sorry, no,|Ah, no,] [that's not [quite |]right|there is a mistake|that isn't what I "
    "want|something is off there|"
    "that's not what I meant|please don't do it like that]. {fix}",
    "only": "[Please don't do anything with|I never spoke of|Please leave out|I'm not asking for anything with|Nothing "
    "should happen to] {wrong}[.|, that one isn't mine.|, please.] "
    "I [only|just] [want to|would like to|need to] {wish}.",
    "change": "[Actually, wait.|Hold on.|Hmm.|Sorry.|Wait.|Oh, before you do that.] [I've changed my mind.|On "
    "second thought, I want something different.|"
    "I'd like something different after all.|I thought about it again.] {fix}",
    "not_me": "No, [that's not what I asked for|I didn't ask for that|I'm not asking for that|please don't do that|"
    "that's not why I'm here]. "
    "I [would like to|want to|need to|'m trying to] {wish}.",
    "why": "[Oh, why is that?|Why isn't that possible?|Hmm, could you tell me why?|May I ask why?|What's the reason "
    "for that?|And why not?]"
    "[| I'd like to understand.| I don't get it.| Nobody told me that.]",
    "accept": "[Okay, I see.|Ah, that's a pity, but okay.|I understand.|Alright, I'll accept that.|Hmm, okay, fair "
    "enough.|Well, if those are"
    " the rules, okay.|Okay, too bad.][| No problem.| Thanks for explaining.| Then I'll leave it.]",
    "push": "[Are you sure about that?|Really? That seems odd.|Could you please check again?|I don't think that's "
    "right.|Hmm, I believe this"
    " should be possible.] I [would like to|want to|really need to|need to] {wish}.",
    "fallback": "[Alright|Okay|Hmm|Well|I see|Oh][, then|. Then|. In that case,|, if that can't be done, then] {fix}",
    "go_on": "[Okay, thank you.|Sure, go ahead.|Alright, please do.|Okay, I'll wait.|Sounds good, please go on.|"
    "Fine with me.]"
    "[| Please continue.| Let me know how it goes.| Take your time.]",
    "no_offer": "[No, thank you.|No, that won't be necessary.|No, I don't need that.|Thanks, but no.|That's not "
    "needed, thanks.]"
    "[| Let's go on.| Please go on with my request.| Just what I asked for, please.]",
    "no_human": "[I'd rather sort this out with you.|Please don't transfer me.|I would prefer to do this here.|"
    "Can't you do it yourself?] "
    "I [would like to|want to|need to|just want to] {wish}[.|, please.]",
    "human": "[Okay|Alright|Yes|Sure|That's fine], [please transfer me|please do that|I'll talk to a person then|"
    "connect me, please"
    "|let's do that].",
    "unclear": "[Sorry, I didn't quite get that.|I'm not sure what you mean.|Could you say that again?|I don't "
    "understand what you're"
    " saying.|Pardon, what was that?][| Something seems to have gone wrong.| I got nothing useful from that.| Can "
    "you rephrase?]",
    "contradict": "[Wait,|Hold on,|No,|Hmm,|But] [that's not what I asked for|that isn't right|that's a mistake|"
    "that doesn't match what I wanted"
    "|that's wrong]. {fix}",
    "not_applicable": "[I don't think that matters here.|I'm not sure why you'd need that.|That shouldn't be needed "
    "for this."
    "|There isn't one for this.] I [would like to|want to|need to|'m trying to|just want to] {wish}.",
    "end": "[No, that's everything|No, that will be all|That's all I needed|No, nothing else|No, I'm all set|That "
    "was all]"
    "[, thank you.|. Thanks for your help.|. Thank you very much!|, thanks. Bye.|. Have a good day.]",
    "bye": "[Great, thank you|Perfect, thanks a lot|Thank you for your help|Wonderful, thanks|Okay, thanks][.|!]"
    "[| That's all.| Have a nice day.| That was everything.| Goodbye.]",
    "failed": "[I tried, but it did not work|I'm afraid that did not work|Hmm, that fails for me][.|, sorry.] [It says|"
    "I get|What I get is|What I see is]: {why}.",
    "not_seen": "[I haven't seen that on my side yet|I can't tell from here if it works|I'm not sure that it works]"
    "[.|, to be honest.|, sorry.] [What should I do?|How can I check?|What should I look at?|What do we do now?]",
    "give_up": "[We're not getting anywhere.|This isn't working, I'll try another time.|I give up, this takes too "
    "long.|Never mind, I'll"
    " leave it.|Sorry, but this is going nowhere.][| Goodbye.| Bye.| Thanks anyway.]",
}


def phrase(act: str, voice: Voice, **values: str) -> str:
    """A seeded phrasing of an act in the manner and the natural language of the voice."""
    short, long = (voice.locale.short, voice.locale.long) if voice.locale else (SHORT, LONG)
    return voice.say((short if voice.short else long)[act], **values)
