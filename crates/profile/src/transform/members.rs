//! The functions of a transform.

use crate::reduction::FunctionNames;
use crate::target::{Members, Target};
use crate::transform::fold::framework_members;
use crate::transform::language::Action;
use crate::transform::{Transform, TransformError};

impl Transform {
    /// Finds the functions that the transform names.
    ///
    /// # Errors
    /// The experiment does not contain the name.
    pub fn members(&self, names: FunctionNames<'_>) -> Result<Members, TransformError> {
        let target = match &self.action {
            Action::Focus(target) | Action::Merge(target) | Action::Hide(target) | Action::Collapse(target) => target,
            Action::CollapseRecursion(Some(name)) => &Target::Function(name.clone()),
            Action::CollapseRecursion(None) => {
                return Ok(Members::new(vec![true; names.count() as usize], None));
            }
            Action::FoldFrameworks(_) => return Ok(framework_members(names)),
        };
        let members = target.members(names).and_then(|members| match members.is_member[0] {
            true => Err("<Total> represents all stacks and is not a frame".to_owned()),
            false => Ok(members),
        });
        members.map_err(|problem| self.error(target.name().position, problem))
    }
}
