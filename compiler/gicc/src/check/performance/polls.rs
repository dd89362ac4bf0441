//! Diverged polls: some lanes of a warp poll, and the whole warp goes on to memory without having met. A barrier of the block,
//! a named one, one of the cluster, or `__syncwarp()` between is enough. Where the order is wrong too, that is told instead.

use super::super::code::{self, Level};
use super::super::report::Finding;
use super::{is_own, seen};
use crate::analysis::communication::{Class, Kernel, Site, Who};

/// The polls of a kernel behind which its warp goes on diverged.
pub(super) fn find(kernel: &Kernel, others: &[Finding]) -> Vec<Finding> {
    let wrong =
        |site: &Site| others.iter().any(|f| f.code.level == Level::Correctness && f.span == site.place.innermost);
    kernel
        .sites
        .iter()
        .filter(|site| site.class.is_poll() && site.poll.is_some() && !is_own(site) && !wrong(site))
        .filter(|site| matches!(site.guard.who, Who::OneOfBlock | Who::OneOfWarp))
        .filter_map(|poll| Some((poll, goes_on(kernel, poll)?)))
        .map(|(poll, next)| finding(kernel, poll, next))
        .collect()
}

/// What all lanes do behind the poll without having met.
fn goes_on<'k>(kernel: &'k Kernel, poll: &Site) -> Option<&'k Site> {
    let meets = |id| kernel.site(id).barrier().is_some();
    let behind = kernel.control.first_after(poll.position, &|id| meets(id) || is_work_of_all(kernel.site(id)));
    behind.into_iter().map(|id| kernel.site(id)).find(|site| is_work_of_all(site) && !is_before(kernel, site, poll))
}

/// In a loop around both: of the next round, which may begin with a barrier that is passed first. It stands before the poll.
fn is_before(kernel: &Kernel, site: &Site, poll: &Site) -> bool {
    !kernel.leads_to(poll.id, site.id)
}

fn is_work_of_all(site: &Site) -> bool {
    site.guard.who == Who::Everyone
        && (site.reads() || site.writes())
        && matches!(
            site.class,
            Class::RemoteStore | Class::ExportedStore | Class::RemoteLoad | Class::LocalLoad | Class::LocalOutput
        )
}

fn finding(kernel: &Kernel, poll: &Site, next: &Site) -> Finding {
    let line = next.place.innermost.as_ref().map_or_else(String::new, |span| format!(" at line {}", span.line));
    let mut finding = seen(
        kernel,
        &code::DIVERGED_POLL,
        poll,
        "one lane polls, and its warp goes on without having met it".to_owned(),
        format!(
            "nothing between the poll and the access{line} brings the lanes together: the other lanes may run ahead, and the \
             warp then executes what follows twice"
        ),
        "put `__syncwarp()`, or a barrier of the block, behind the poll",
    );
    if let Some(span) = next.place.innermost.clone().filter(|span| Some(span) != finding.span.as_ref()) {
        finding.labels.push(super::super::report::Label { span, text: "all lanes execute this".to_owned() });
    }
    finding
}
