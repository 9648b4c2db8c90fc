//! Looks at the way to the destination at its moments, and at the rate of Wi-Fi in between.

use std::time::Duration;

use super::observer::Observer;
use super::patience::Patience;
use crate::contract::journal::JournalLine;
use crate::domain::backup::Source;
use crate::domain::destination::Destination;
use crate::domain::link::{Link, Seen};
use crate::links;
use crate::ports::{Call, CallEnd, Captured, Mac, News, Now, Tools};

/// Between two looks at the rate of Wi-Fi.
const WI_FI_EVERY: Duration = Duration::from_secs(30);

/// The Wi-Fi that a backup goes over.
pub(super) struct WiFi {
    interface: String,
    rates: Vec<u64>,
    /// When the latest answer was begun; a line of a recording is known by it.
    latest: Duration,
}

impl WiFi {
    fn of(links: &[Link], at: Duration) -> Option<Self> {
        let link = links.iter().find(|link| link.kind.key().starts_with("wi-fi"))?;
        let interface = link.bsd_name.clone()?;
        Some(Self { interface, rates: link.negotiated_bps.into_iter().collect(), latest: at })
    }

    /// Puts the rates that were seen into the links over this Wi-Fi. One rate is that of a moment and stays so.
    pub(super) fn put_rates(&self, links: &mut [Link]) {
        let over = |link: &&mut Link| link.bsd_name.as_ref() == Some(&self.interface);
        for link in links.iter_mut().filter(over).filter(|_| self.rates.len() > 1) {
            links::put_wi_fi_rates(link, &self.rates);
        }
    }
}

impl Observer<'_> {
    /// The tools, with waits in proportion and no answer that is older than `since`.
    pub(super) fn tools(&mut self, since: Duration) -> Asking<'_> {
        Asking { mac: &mut *self.mac, patience: self.patience, since, latest: Duration::ZERO }
    }

    /// Looks at the link as soon as the status tells where the destination is mounted.
    pub(super) fn look_during(&mut self, then: Now) {
        let Some(draft) = self.draft() else { return };
        if self.open.looked || draft.is_idle() || draft.destination().mount_point.is_none() {
            return;
        }
        let destination = self.known(draft.destination());
        let began = draft.started().filter(|(_, source)| *source != Source::Command).and_then(|(at, _)| at.zoned());
        if let Some(at) = began {
            let name = destination.name.as_deref().unwrap_or("a destination without a name");
            self.sink.say(&News::Note(format!("A backup to {name} began at {}.", at.format("%H:%M:%S"))));
        }
        self.open.looked = true;
        self.keeper.keep(JournalLine::Destination(destination.clone()));
        self.look(&destination, Seen::During, then.elapsed);
    }

    /// Looks at the link, with answers not older than `since`.
    pub(super) fn look(&mut self, destination: &Destination, seen: Seen, since: Duration) {
        let mut tools = self.tools(since);
        let look = links::look(destination, seen, &mut tools);
        let latest = tools.latest;
        for link in &look.links {
            self.keeper.keep(JournalLine::Link(link.clone()));
        }
        if seen == Seen::During {
            self.open.wi_fi = WiFi::of(&look.links, latest);
        }
        self.open.looks.push(look);
    }

    /// Asks for the rate of Wi-Fi if it is time. This goes with a new status, whose times a recording fixes, and one line of
    /// a recording is one rate, however often it answers: so the rates don't depend on how often the status is asked for.
    pub(super) fn follow_wi_fi(&mut self) {
        let runs = self.draft().is_some_and(|draft| !draft.is_idle() && draft.over_at().is_none());
        let now = self.mac.now().elapsed;
        let is_due = |wi_fi: &mut WiFi| runs && now >= wi_fi.latest + WI_FI_EVERY;
        let Some(mut wi_fi) = self.open.wi_fi.take_if(is_due) else { return };
        let mut tools = self.tools(Duration::ZERO);
        let rate = links::wi_fi_rate(&wi_fi.interface, &mut tools);
        let latest = tools.latest;
        if latest > wi_fi.latest {
            wi_fi.latest = latest;
            wi_fi.rates.extend(rate);
        }
        self.open.wi_fi = Some(wi_fi);
    }
}

/// A Mac that answers with nothing older than asked for. A recording may hold only an old answer, which says nothing of now.
pub(super) struct Asking<'a> {
    mac: &'a mut dyn Mac,
    patience: Patience,
    since: Duration,
    /// When the latest answer was begun.
    latest: Duration,
}

impl<'a> Asking<'a> {
    /// Takes whatever answers there are.
    pub(super) fn of(mac: &'a mut dyn Mac, patience: Patience) -> Self {
        Self { mac, patience, since: Duration::ZERO, latest: Duration::ZERO }
    }
}

impl Tools for Asking<'_> {
    fn run(&mut self, call: &Call) -> Captured {
        let answer = self.mac.run(&self.patience.scale(call));
        if answer.started >= self.since {
            self.latest = self.latest.max(answer.started);
            return answer;
        }
        Captured { end: CallEnd::NotRecorded, stdout: Vec::new(), stderr: Vec::new(), ..answer }
    }
}
