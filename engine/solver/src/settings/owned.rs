//! Options that belong to one entry of a registry.

use super::{Setting, SettingInfo, SettingValue};
use holonom_dae::InputError;
use std::any::Any;
use std::fmt;

/// Options of one method, linear solver or policy, or of several alike.
pub trait OwnOptions: Default + Clone + fmt::Debug + Send + Sync + 'static {
    /// The settings among them.
    const SETTINGS: &'static [Setting<Self>];

    /// Refuses what makes no sense together, or for a single option that was set in Rust.
    ///
    /// # Errors
    /// The option to blame, with the remedy.
    fn check(&self) -> Result<(), InputError> {
        Ok(())
    }

    /// What makes a setting without effect, if another of these options does: such as "`stabilisation = \"none\"`".
    fn idle(&self, setting: &str) -> Option<String> {
        let _ = setting;
        None
    }
}

/// The same without its type.
pub trait AnyOptions: Any + fmt::Debug + Send + Sync {
    /// The settings among them, with their defaults.
    fn infos(&self) -> Vec<SettingInfo>;
    /// The value of a setting; none where there is no setting of this name, or it has no value.
    fn get(&self, name: &str) -> Option<SettingValue>;
    /// Sets a setting: false for a value of another sort, none where there is no setting of this name.
    fn set(&mut self, name: &str, value: SettingValue) -> Option<bool>;
    /// Refuses what no run can work with.
    ///
    /// # Errors
    /// The option to blame, with the remedy.
    fn check(&self) -> Result<(), InputError>;
    /// What makes a setting without effect, if another of these options does.
    fn idle(&self, setting: &str) -> Option<String>;
    /// A copy.
    fn copy(&self) -> Box<dyn AnyOptions>;
    /// For the way back to the type.
    fn as_any(&self) -> &dyn Any;
}

impl<T: OwnOptions> AnyOptions for T {
    fn infos(&self) -> Vec<SettingInfo> {
        let usual = T::default();
        T::SETTINGS.iter().map(|setting| setting.info(&usual)).collect()
    }

    fn get(&self, name: &str) -> Option<SettingValue> {
        let setting = T::SETTINGS.iter().find(|setting| setting.name == name)?;
        (setting.get)(self)
    }

    fn set(&mut self, name: &str, value: SettingValue) -> Option<bool> {
        let setting = T::SETTINGS.iter().find(|setting| setting.name == name)?;
        Some((setting.set)(self, value))
    }

    fn check(&self) -> Result<(), InputError> {
        for setting in T::SETTINGS {
            let value = (setting.get)(self);
            if let Some(Err(refusal)) = value.as_ref().map(setting.check) {
                return Err(InputError::Option {
                    option: setting.name,
                    value: refusal.value,
                    remedy: refusal.remedy,
                });
            }
        }
        OwnOptions::check(self)
    }

    fn idle(&self, setting: &str) -> Option<String> {
        OwnOptions::idle(self, setting)
    }

    fn copy(&self) -> Box<dyn AnyOptions> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Makes the options of an entry, with their defaults.
pub type Factory = fn() -> Box<dyn AnyOptions>;

/// The options of entries that were set; all others have their defaults.
#[derive(Default)]
pub struct Owned(Vec<Box<dyn AnyOptions>>);

impl Clone for Owned {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|options| (**options).copy()).collect())
    }
}

impl fmt::Debug for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

impl Owned {
    /// The options of this type.
    pub fn of<T: OwnOptions>(&self) -> T {
        let known = self
            .0
            .iter()
            .find_map(|options| (**options).as_any().downcast_ref::<T>());
        known.cloned().unwrap_or_default()
    }

    /// Sets the options of this type.
    pub fn put<T: OwnOptions>(&mut self, options: T) {
        self.0.retain(|other| !(**other).as_any().is::<T>());
        self.0.push(Box::new(options));
    }

    /// Those that were set among the ones that a factory makes, or new ones.
    pub fn like(&self, factory: Factory) -> Box<dyn AnyOptions> {
        let usual = factory();
        let wanted = (*usual).as_any().type_id();
        let mut own = self.0.iter().map(|options| &**options);
        match own.find(|options| options.as_any().type_id() == wanted) {
            Some(options) => options.copy(),
            None => usual,
        }
    }

    /// Sets one of the settings of the options that a factory makes: false for a value of another sort, none where these
    /// have no setting of this name.
    pub fn set(&mut self, factory: Factory, name: &str, value: SettingValue) -> Option<bool> {
        let mut options = self.like(factory);
        let done = (*options).set(name, value)?;
        if done {
            let id = (*options).as_any().type_id();
            self.0.retain(|other| (**other).as_any().type_id() != id);
            self.0.push(options);
        }
        Some(done)
    }
}
