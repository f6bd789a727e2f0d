//! The command `account legacy status` shows the progress of the migration, in total and by day.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan};
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::db::{Result, Store};
use crate::store::legacy_status::{self, AccountsByDays};

/// The number of legacy accounts that reached each step of the migration. An account counts in every step that it
/// reached. `refused` counts only unmigrated accounts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StepCounts {
    pub imported: i64,
    pub invited: i64,
    pub opened: i64,
    pub migrated: i64,
    pub refused: i64,
    pub bounced: i64,
    pub unsubscribed: i64,
}

impl StepCounts {
    pub(crate) fn by_name(self) -> [(&'static str, i64); 7] {
        [
            ("imported", self.imported),
            ("invited", self.invited),
            ("opened", self.opened),
            ("migrated", self.migrated),
            ("refused", self.refused),
            ("bounced", self.bounced),
            ("unsubscribed", self.unsubscribed),
        ]
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MigrationStatus {
    #[serde(flatten)]
    pub total: StepCounts,
    /// The days in UTC on which an account reached a step, the oldest first.
    pub days: Vec<DayCounts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DayCounts {
    #[serde(serialize_with = "serialize_date")]
    pub day: Date,
    #[serde(flatten)]
    pub steps: StepCounts,
}

fn serialize_date<S: Serializer>(
    day: &Date,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}

/// Counts all legacy accounts, one part of the table at a time.
pub async fn count(store: &Store) -> Result<MigrationStatus> {
    let mut total = StepCounts::default();
    let mut days: BTreeMap<i64, StepCounts> = BTreeMap::new();
    let mut next = Some(Uuid::nil());
    while let Some(after) = next {
        let (groups, last) = legacy_status::read_slice(&mut store.read().await?, after).await?;
        for group in groups {
            add_group(&mut total, &mut days, &group);
        }
        next = last;
        tokio::task::yield_now().await;
    }
    let days = days.into_iter().map(|(number, steps)| DayCounts {
        day: date_of_day(number),
        steps,
    });
    Ok(MigrationStatus {
        total,
        days: days.collect(),
    })
}

type CountedStep = (Option<i64>, fn(&mut StepCounts) -> &mut i64);

fn add_group(total: &mut StepCounts, days: &mut BTreeMap<i64, StepCounts>, group: &AccountsByDays) {
    let steps: [CountedStep; 7] = [
        (Some(group.imported), |s| &mut s.imported),
        (group.invited, |s| &mut s.invited),
        (group.opened, |s| &mut s.opened),
        (group.migrated, |s| &mut s.migrated),
        (group.refused, |s| &mut s.refused),
        (group.bounced, |s| &mut s.bounced),
        (group.unsubscribed, |s| &mut s.unsubscribed),
    ];
    for (when, step) in steps {
        if let Some(number) = when {
            *step(total) += group.accounts;
            *step(days.entry(number).or_default()) += group.accounts;
        }
    }
}

fn date_of_day(number: i64) -> Date {
    let span = Span::new().try_days(number).unwrap_or(0.days());
    date(1970, 1, 1).saturating_add(span)
}

/// The maximum number of days in the text output. The JSON output contains all days.
const MAX_SHOWN_DAYS: usize = 14;
const BAR_CHARS: i64 = 30;

impl fmt::Display for MigrationStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let imported = self.total.imported;
        for (name, number) in self.total.by_name() {
            let share = 100.0 * number as f64 / imported.max(1) as f64;
            let bar = draw_bar(number, imported);
            let line = format!("{name:<13}{number:>10}  {share:>5.1} %  {bar}");
            writeln!(f, "{}", line.trim_end())?;
        }
        if self.days.is_empty() {
            return Ok(());
        }
        let shown = &self.days[self.days.len().saturating_sub(MAX_SHOWN_DAYS)..];
        let most = shown
            .iter()
            .map(|day| day.steps.migrated)
            .max()
            .unwrap_or(0);
        writeln!(
            f,
            "\n{:<12}{:>10}{:>10}{:>10}{:>10}",
            "day (UTC)", "imported", "invited", "opened", "migrated"
        )?;
        for DayCounts { day, steps: s } in shown {
            let line = format!(
                "{:<12}{:>10}{:>10}{:>10}{:>10}  {}",
                day.to_string(),
                s.imported,
                s.invited,
                s.opened,
                s.migrated,
                draw_bar(s.migrated, most)
            );
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Returns a bar for the text output, which has at least one character for any number above zero.
fn draw_bar(number: i64, most: i64) -> String {
    if number <= 0 || most <= 0 {
        return String::new();
    }
    let chars = (number.saturating_mul(BAR_CHARS) / most).max(1);
    "█".repeat(usize::try_from(chars).unwrap_or(0))
}
